#include <stdio.h>

int open_path(const char *path);

int open_in(const char *folder, const char *name) {
    char path[64];
    sprintf(path, "%s/%s", folder, name);
    return open_path(path);
}
