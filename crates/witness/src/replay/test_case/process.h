/* The version runs in a process of its own: it may end it, and what it prints is looked at. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static char seen[2][ROOM];
static unsigned long printed[2];
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
    /* Both at once, and beyond what there is room for: the version never waits for a reader. */
    int from[2] = {out[0], err[0]};
    while (from[0] >= 0 || from[1] >= 0) {
        struct pollfd set[2] = {{from[0], POLLIN, 0}, {from[1], POLLIN, 0}};
        poll(set, 2, -1);
        for (int i = 0; i < 2; i++) {
            char part[4096];
            long got = set[i].revents ? read(from[i], part, sizeof part) : 0;
            if (set[i].revents && got <= 0) {
                close(from[i]);
                from[i] = -1;
            }
            for (long at = 0; at < got; at++, printed[i]++)
                if (printed[i] < ROOM) seen[i][printed[i]] = part[at];
        }
    }
    if (read(back[0], &answer, 1) == 1 && answer == 'F') failed = 1;
    *returned = answer != 0;
    waitpid(child, &status, 0);
    return status;
}
static void check_text(const char *what, const char *expected, unsigned long length, int stream)
{
    if (printed[stream] == length && !memcmp(expected, seen[stream], length)) return;
    printf("%s: \"%s\" expected, got \"%.*s\"\n", what, expected, ROOM, seen[stream]);
    failed = 1;
}
