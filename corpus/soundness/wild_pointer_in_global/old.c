int *place;

int is_high(void) { return (unsigned long)place >> 63 ? 1 : 0; }
