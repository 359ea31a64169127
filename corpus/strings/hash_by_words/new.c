/* A table of names whose hash function reads whole words, as many public ones do, and masks what is not part of the string. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t hash(const char *key)
{
    size_t length = strlen(key);
    const uint32_t *k = (const uint32_t *)key;
    uint32_t h = 17;
    while (length >= 4) {
        h = h * 31 + *k++;
        length -= 4;
    }
    switch (length) {
    case 3: h = h * 31 + (*k & 0xffffff); break;
    case 2: h = h * 31 + (*k & 0xffff); break;
    case 1: h = h * 31 + (*k & 0xff); break;
    }
    return h;
}

struct entry { _Alignas(4) char name[13]; };
static const struct entry names[2] = { { "one" }, { "seventeen" } };

void report(void)
{
    _Alignas(4) char key[10] = "seventeen";
    uint32_t wanted = hash(key);
    for (int i = 0; i < 2; i++)
        if (hash(names[i].name) == wanted) printf("found %s\n", names[i].name);
    printf("end\n");
}
