//! Tables by the names of hosts and by addresses. A large inventory is looked up in a hundred thousand times; its names are the
//! operator's own, so that nobody chooses them to fall into one place, and a simple hash is enough.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A table by names.
pub(super) type Map<K, V> = HashMap<K, V, BuildHasherDefault<NameHasher>>;

/// A set of names.
pub(super) type Set<K> = HashSet<K, BuildHasherDefault<NameHasher>>;

/// Multiplies eight bytes at a time into the state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NameHasher(u64);

/// An odd number without a pattern in its bits.
const FACTOR: u64 = 0xf135_7aea_2e62_a9c5;

impl NameHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.add(byte.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.add(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    /// Tables look at both ends of a hash, and a product is best in its upper half.
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, BuildHasherDefault};

    use super::NameHasher;

    #[test]
    fn names_of_a_site_are_spread() {
        let hasher = BuildHasherDefault::<NameHasher>::default();
        let spread: Vec<u64> = (0..4096).map(|number| hasher.hash_one(format!("worker-{number:05}"))).collect();
        for shift in [0, 52] {
            let mut filled = vec![0_u8; 4096];
            for hash in &spread {
                let at = usize::try_from((hash >> shift) & 4095).unwrap();
                filled[at] += 1;
            }
            // Of as many balls as bins the fullest has seven or eight, if they are thrown at random.
            assert!(filled.iter().all(|count| *count < 16), "{:?}", filled.iter().max());
        }
    }
}
