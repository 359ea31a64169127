void write_byte(int b);

void write_entry(const unsigned char *data, int size, int compressed)
{
    int i, flags = compressed ? 8 : 0;

    for (i = 0; i < size; i++) {
        write_byte(data[i] ^ flags);
    }
    write_byte(flags);
}
