#include <stdio.h>

int save(const char *path, int value) {
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    fprintf(file, "%d\n", value);
    return fclose(file);
}
