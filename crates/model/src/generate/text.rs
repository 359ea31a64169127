//! Text that parsers and formats have something to say about.

use super::facts::Facts;
use super::random::Random;

/// What is text everywhere.
const PLAIN: &[u8] = b"aabbcxyzAZ019 -+.,:/%_\n\te";
/// Signs that come in pairs.
const PAIRS: [(u8, u8); 6] =
    [(b'{', b'}'), (b'[', b']'), (b'"', b'"'), (b'\'', b'\''), (b'(', b')'), (b'<', b'>')];

/// Fills bytes with pieces of the strings and letters that the code mentions, numbers and plain text.
pub(super) fn fill(random: &mut Random, facts: &Facts, bytes: &mut [u8]) {
    let mut at = 0;
    while at < bytes.len() {
        let piece: Vec<u8> = match random.below(12) {
            0..3 => {
                let at = random.below(facts.strings.len() as u64) as usize;
                facts.strings.get(at).cloned().unwrap_or_default()
            }
            3..7 => random.pick(&facts.letters).into_iter().collect(),
            7 => random.below(2000).to_string().into_bytes(),
            8 if !random.chance(70) => vec![random.word() as u8 | 0x80],
            _ => vec![],
        };
        let piece = match piece.is_empty() {
            true => vec![random.pick(PLAIN).unwrap_or(b'a')],
            false => piece,
        };
        for (to, byte) in bytes[at..].iter_mut().zip(&piece) {
            *to = *byte;
        }
        at += piece.len();
    }
    let both =
        |(open, close): &&(u8, u8)| facts.letters.contains(open) && facts.letters.contains(close);
    let pairs: Vec<(u8, u8)> = PAIRS.iter().filter(both).copied().collect();
    if let (Some((open, close)), true) = (random.pick(&pairs), random.chance(40))
        && let [first, .., last] = bytes
    {
        (*first, *last) = (open, close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_the_strings_and_letters_of_the_code() {
        let facts =
            Facts { letters: b"[]".to_vec(), strings: vec![b"key".to_vec()], ..Facts::default() };
        let mut random = Random::new(7);
        let mut texts = vec![[0; 60]; 50];
        texts.iter_mut().for_each(|text| fill(&mut random, &facts, text));
        assert!(texts.iter().all(|text| !text.contains(&0)), "it ends where its owner says");
        let with_key = texts.iter().filter(|text| text.windows(3).any(|three| three == b"key"));
        assert!(with_key.count() > 25);
        let is_list = |text: &&[u8; 60]| text[0] == b'[' && text[59] == b']';
        assert!(texts.iter().filter(is_list).count() > 5);
    }
}
