int x = 0;

int main(void) { return x; }

int again(void) {
    x = 5;
    return main();
}
