/* Writes a check number behind each of a row of words. */
unsigned next(void);
void put(unsigned byte);

void put_words(int n)
{
    while (n-- > 0) {
        unsigned word = next();
        unsigned check = word + (word >> 8) + 1;

        put(word & 0xff);
        put(word >> 8 & 0xff);
        put(check & 0x7f);
    }
}
