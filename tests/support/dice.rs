//! Chance that can be repeated: whoever knows the seed gets the same order again.

#![allow(dead_code, reason = "each test program uses its part of it")]
#![allow(clippy::unwrap_used, reason = "part of test programs")]

/// A small linear congruential generator (Knuth's MMIX): enough to choose moments and orders.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Takes any one out.
    pub fn pick<T>(&mut self, from: &mut Vec<T>) -> Option<T> {
        let count = u64::try_from(from.len()).unwrap();
        (count > 0).then(|| from.swap_remove(usize::try_from(self.below(count)).unwrap()))
    }

    /// The same things in any order.
    pub fn shuffled<T>(&mut self, mut things: Vec<T>) -> Vec<T> {
        std::iter::from_fn(|| self.pick(&mut things)).collect()
    }
}
