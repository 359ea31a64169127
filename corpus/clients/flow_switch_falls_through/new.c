int lib(int code, int x)
{
    switch (code) {
    case 1:
        return x + 1;
    case 9:
        return 1 - x;
    default:
        return x;
    }
}

int command(int code, int x)
{
    switch (code) {
    case 2:
        return 0;
    case 9:
        x = x ^ 85;
        /* fall through */
    default:
        return lib(code, x);
    }
}
