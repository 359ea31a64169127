#include <stdio.h>

int is_comment(FILE *file) {
    char line[80];
    if (!fgets(line, sizeof line, file))
        return -1;
    return line[0] == '#' || line[0] == ';';
}
