unsigned cubes(unsigned n)
{
    unsigned cube = 0, first = 1, second = 6, s = 0;

    for (; n > 0; n--) {
        s += cube ^ 21;
        cube += first;
        first += second;
        second += 6;
    }
    return s;
}
