/* The version runs in a process of its own: it may end it, and what it prints is looked at. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static char seen[2][1 << 16];
static int console;
static void body(void);
/* From here on messages are the test's own. */
static void called(void)
{
    fflush(0);
    dup2(console, 1);
}
static int run(int *returned)
{
    int out[2], err[2], back[2], status = 0;
    char answer = 0;
    if (pipe(out) || pipe(err) || pipe(back)) return -1;
    int child = fork();
    if (child == 0) {
        console = dup(1);
        dup2(out[1], 1);
        dup2(err[1], 2);
        setvbuf(stdout, 0, _IONBF, 0); /* What is printed before a crash counts. */
        body();
        fflush(0);
        answer = failed ? 'F' : 'R';
        if (write(back[1], &answer, 1) != 1) _exit(3);
        _exit(0);
    }
    close(out[1]);
    close(err[1]);
    close(back[1]);
    for (int i = 0; i < 2; i++) {
        unsigned long used = 0;
        long got;
        while ((got = read(i ? err[0] : out[0], seen[i] + used, sizeof seen[i] - 1 - used)) > 0) used += got;
    }
    if (read(back[0], &answer, 1) == 1 && answer == 'F') failed = 1;
    *returned = answer != 0;
    waitpid(child, &status, 0);
    return status;
}
static void check_text(const char *what, const char *expected, const char *actual)
{
    if (!strcmp(expected, actual)) return;
    printf("%s: \"%s\" expected, got \"%s\"\n", what, expected, actual);
    failed = 1;
}
