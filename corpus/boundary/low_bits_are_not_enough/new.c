/* Writes a check number behind each of a row of words. */
unsigned next(void);
void put(unsigned byte);

void put_words(int n)
{
    while (n-- > 0) {
        unsigned word = next();
        unsigned check = ((word & 0xff) + (word >> 8 & 0xff) + 1) & 0xff;

        put(word & 0xff);
        put(word >> 8 & 0xff);
        put(check & 0x1ff);
    }
}
