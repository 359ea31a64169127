int x = 0;

int main(void) { return 0; }

int again(void) {
    x = 5;
    return main();
}
