/* What lies between the driver's data and the program's, for the driver to fence off. A sanitizer fences a global on one side
 * only: an access before the first one of a section would hit the driver's data and be taken for a good one. */
const char verdiff_before_constants[1024] = {1};
char verdiff_before_data[1024] = {1};
char verdiff_before_zeros[1024];
