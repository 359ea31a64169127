#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int quiet = 0, verbose = 0, files = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quiet") == 0)
            quiet = 1;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = 1;
        else
            files++;
    }
    if (quiet && verbose) {
        puts("choose one");
        return 2;
    }
    if (verbose && files >= 0)
        printf("%d files\n", files);
    return 0;
}
