int counted(int which)
{
    if (which) {
        static int calls;
        return ++calls;
    } else {
        static int calls;
        calls = calls + 2;
        return calls;
    }
}
