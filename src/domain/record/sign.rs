//! Signing: a record taken from a comment and written again by any JSON tool still verifies (chapter 10).

use super::{Record, Signature};
use crate::domain::ids::Mac;
use hmac::{Hmac, KeyInit, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use std::fmt;

/// The only algorithm.
pub const ALGORITHM: &str = "HMAC-SHA-256";

/// Keys of an App, by id; the first signs, all verify.
#[derive(Clone)]
pub struct SigningKeys(Vec<(String, Vec<u8>)>);

impl fmt::Debug for SigningKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(kid, _)| kid)).finish()
    }
}

/// What a signature says about a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// Signed by a key of ours, and whole.
    Good,
    /// Signed by a key that is not known here: not a sign of tampering.
    UnknownKey(String),
    /// Changed after it was signed, or the signature is not one.
    Bad,
    /// Not signed at all.
    Unsigned,
}

impl SigningKeys {
    /// Keys in order; at least one is needed to sign.
    #[must_use]
    pub fn new(keys: Vec<(String, Vec<u8>)>) -> Self {
        Self(keys)
    }

    /// Ids of the keys, the signing one first.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(kid, _)| kid.as_str())
    }

    /// Signs the record as it stands; without a key it stays unsigned.
    pub fn sign(&self, record: &mut Record) {
        record.signature = None;
        if let Some((kid, key)) = self.0.first() {
            let mac = Mac(hex::encode(tag(key, &super::canonical(&unsigned(super::to_value(record))))));
            record.signature = Some(Signature { kid: kid.clone(), alg: ALGORITHM.to_owned(), mac });
        }
    }

    /// Checks a parsed record, whoever wrote its JSON.
    #[must_use]
    pub fn verify(&self, record: &Value) -> Verification {
        let signature = match record.get("signature") {
            None | Some(Value::Null) => return Verification::Unsigned,
            Some(signature) => signature,
        };
        let Ok(Signature { kid, alg, mac }) = serde_json::from_value(signature.clone()) else {
            return Verification::Bad;
        };
        let Some((_, key)) = self.0.iter().find(|(known, _)| *known == kid) else {
            return Verification::UnknownKey(kid);
        };
        let Ok(mac) = hex::decode(mac.as_str()) else { return Verification::Bad };
        let right =
            alg == ALGORITHM && hasher(key, &super::canonical(&unsigned(record.clone()))).verify_slice(&mac).is_ok();
        if right { Verification::Good } else { Verification::Bad }
    }
}

/// The record without its signature.
fn unsigned(mut record: Value) -> Value {
    if let Value::Object(map) = &mut record {
        map.remove("signature");
    }
    record
}

#[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
fn hasher(key: &[u8], bytes: &[u8]) -> Hmac<Sha256> {
    let mut hasher = Hmac::<Sha256>::new_from_slice(key).expect("any length is a key");
    hasher.update(bytes);
    hasher
}

fn tag(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    hasher(key, bytes).finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::super::tests as samples;
    use super::*;

    fn keys() -> SigningKeys {
        SigningKeys::new(vec![("new".into(), vec![1; 32]), ("old".into(), vec![2; 32])])
    }

    fn signed() -> Value {
        let mut record = samples::record();
        keys().sign(&mut record);
        super::super::to_value(&record)
    }

    #[test]
    fn another_writers_json_verifies() {
        let value = signed();
        assert_eq!(keys().verify(&value), Verification::Good);
        let sorted_and_tight: Value = serde_json::from_str(&value.to_string()).unwrap();
        assert_eq!(keys().verify(&sorted_and_tight), Verification::Good);
    }

    #[test]
    fn every_changed_leaf_shows() {
        fn leaves(value: &Value, path: &str, out: &mut Vec<String>) {
            match value {
                Value::Object(map) => map.iter().for_each(|(key, value)| leaves(value, &format!("{path}/{key}"), out)),
                Value::Array(items) if !items.is_empty() => {
                    items.iter().enumerate().for_each(|(at, value)| leaves(value, &format!("{path}/{at}"), out));
                }
                _ => out.push(path.to_owned()),
            }
        }
        let value = signed();
        let mut paths = Vec::new();
        leaves(&value, "", &mut paths);
        assert!(paths.len() > 30, "{paths:?}");
        for path in paths.iter().filter(|path| *path != "/signature/kid") {
            let mut forged = value.clone();
            *forged.pointer_mut(path).unwrap() = Value::String("forged".into());
            assert_eq!(keys().verify(&forged), Verification::Bad, "{path}");
        }
    }

    #[test]
    fn keys_rotate_and_strangers_are_named() {
        let value = signed();
        let rotated = SigningKeys::new(vec![("newer".into(), vec![3; 32]), ("new".into(), vec![1; 32])]);
        assert_eq!(rotated.verify(&value), Verification::Good);
        let stranger = SigningKeys::new(vec![("other".into(), vec![1; 32])]);
        assert_eq!(stranger.verify(&value), Verification::UnknownKey("new".into()));
        assert_eq!(keys().verify(&super::super::to_value(&samples::record())), Verification::Unsigned);
        assert!(!format!("{:?}", keys()).contains('1'));
    }
}
