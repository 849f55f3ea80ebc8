//! The App's private key: read once from PEM, used for the App's JWT and, unless the operator sets keys of his own,
//! for the key that signs records (chapter 10).

use hkdf::Hkdf;
use pkcs1::der::asn1::BitStringRef;
use pkcs1::der::{Decode, Encode};
use pkcs8::PrivateKeyInfoRef;
use pkcs8::spki::SubjectPublicKeyInfoRef;
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject;
use secrecy::{ExposeSecret, SecretSlice, SecretString};
use sha2::{Digest, Sha256};
use std::fmt;

/// What the signing key is derived for: another purpose or another record schema gives another key.
const INFO: &[u8] = b"sekisho/record/1";

/// The App's RSA key. `Debug` shows its fingerprint and nothing else.
#[derive(Clone)]
pub struct AppKey {
    pkcs1: SecretSlice<u8>,
    fingerprint: [u8; 32],
}

/// Why a text is no private key of an App. Nothing of the text is repeated.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub enum KeyError {
    /// There is no PEM block of a private key in it.
    #[error("the App's private key is not PEM: expected a block `BEGIN RSA PRIVATE KEY` or `BEGIN PRIVATE KEY`")]
    NotPem,
    /// A PEM block of another kind of key, such as an elliptic curve.
    #[error("the App's private key is not an RSA key; GitHub's keys for Apps are RSA")]
    NotRsa,
    /// The block is there, its bytes are not a key.
    #[error("the App's private key is damaged: its PEM block does not hold an RSA key")]
    Damaged,
}

impl AppKey {
    /// Reads PKCS#1 (as GitHub gives it) or PKCS#8 PEM. A PEM that came on one line with `\n` written out, as some
    /// hosts pass variables on, is read too.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn parse(pem: &SecretString) -> Result<Self, KeyError> {
        let pem = SecretString::from(pem.expose_secret().replace("\\n", "\n"));
        let key = PrivateKeyDer::from_pem_slice(pem.expose_secret().as_bytes()).map_err(|_| KeyError::NotPem)?;
        let pkcs1 = match &key {
            PrivateKeyDer::Pkcs1(key) => key.secret_pkcs1_der().to_vec(),
            PrivateKeyDer::Pkcs8(key) => unwrap_pkcs8(key.secret_pkcs8_der())?,
            _ => return Err(KeyError::NotRsa),
        };
        let fingerprint = fingerprint(&pkcs1)?;
        Ok(Self { pkcs1: pkcs1.into(), fingerprint })
    }

    /// The key that signs records by default: its id and 32 bytes by HKDF-SHA-256 from the PKCS#1 DER, without salt.
    /// The id is `app-` and the first 8 hex digits of [`AppKey::fingerprint`].
    ///
    /// # Panics
    /// Never: HKDF-SHA-256 gives up to 8,160 bytes, and this asks for 32.
    #[must_use]
    pub fn signing_key(&self) -> (String, [u8; 32]) {
        let mut okm = [0; 32];
        let hkdf = Hkdf::<Sha256>::new(None, self.pkcs1.expose_secret());
        #[expect(clippy::expect_used, reason = "HKDF-SHA-256 gives up to 8,160 bytes, and this asks for 32")]
        hkdf.expand(INFO, &mut okm).expect("32 bytes");
        (format!("app-{}", hex::encode(&self.fingerprint[..4])), okm)
    }

    /// SHA-256 of the public key (SPKI, DER): the fingerprint that GitHub shows beside the key, there in base64.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        self.fingerprint
    }

    /// The key as PKCS#1 DER, for the one who signs the App's JWT.
    pub(super) fn pkcs1(&self) -> &SecretSlice<u8> {
        &self.pkcs1
    }
}

impl fmt::Debug for AppKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppKey").field("fingerprint", &hex::encode(self.fingerprint)).finish_non_exhaustive()
    }
}

fn unwrap_pkcs8(der: &[u8]) -> Result<Vec<u8>, KeyError> {
    let info = PrivateKeyInfoRef::from_der(der).map_err(|_| KeyError::Damaged)?;
    if info.algorithm.oid != pkcs1::ALGORITHM_OID {
        return Err(KeyError::NotRsa);
    }
    Ok(info.private_key.as_bytes().to_vec())
}

fn fingerprint(pkcs1: &[u8]) -> Result<[u8; 32], KeyError> {
    let spki = || -> pkcs1::der::Result<Vec<u8>> {
        let public = pkcs1::RsaPrivateKeyRef::from_der(pkcs1)?.public_key().to_der()?;
        SubjectPublicKeyInfoRef {
            algorithm: pkcs1::ALGORITHM_ID,
            subject_public_key: BitStringRef::from_bytes(&public)?,
        }
        .to_der()
    };
    Ok(Sha256::digest(spki().map_err(|_| KeyError::Damaged)?).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PKCS1: &str = include_str!("../../../tests/fixtures/app-key.pkcs1.txt");
    const PKCS8: &str = include_str!("../../../tests/fixtures/app-key.pkcs8.txt");

    fn key(pem: &str) -> Result<AppKey, KeyError> {
        AppKey::parse(&SecretString::from(pem))
    }

    #[test]
    fn both_encodings_give_the_key_that_openssl_gives() {
        // openssl rsa -in KEY -pubout -outform DER | sha256sum
        // openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt hexkey:PKCS1DER -kdfopt info:sekisho/record/1 HKDF
        let fingerprint = "b602e3e1929b0702aa2f67e7af9a64aeff22157114a3720c1445b28b31d0144a";
        let secret = "18765a64cdce39d13a01552b101769da79544491952f2b20b43d57ca94639814";
        for pem in [PKCS1, PKCS8] {
            let key = key(pem).unwrap();
            assert_eq!(hex::encode(key.fingerprint()), fingerprint);
            let (kid, bytes) = key.signing_key();
            assert_eq!((kid, hex::encode(bytes)), (format!("app-{}", &fingerprint[..8]), secret.to_owned()));
        }
    }

    #[test]
    fn a_key_on_one_line_with_written_out_line_ends_is_read() {
        let one_line = PKCS1.trim().replace('\n', "\\n");
        assert_eq!(key(&one_line).unwrap().signing_key(), key(PKCS1).unwrap().signing_key());
    }

    #[test]
    fn what_is_no_key_says_why_and_repeats_nothing() {
        let check = |pem: &str, expect: KeyError| assert_eq!(key(pem).err(), Some(expect), "{pem}");
        check("", KeyError::NotPem);
        check("hunter2", KeyError::NotPem);
        check("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n", KeyError::Damaged);
        check("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", KeyError::Damaged);
        check("-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n", KeyError::NotRsa);
        // An Ed25519 key in PKCS#8.
        check(
            "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n-----END PRIVATE KEY-----\n",
            KeyError::NotRsa,
        );
    }

    #[test]
    fn debug_shows_no_key() {
        let shown = format!("{:?}", key(PKCS1).unwrap());
        assert!(shown.starts_with("AppKey { fingerprint: \"") && shown.len() < 110, "{shown}");
    }
}
