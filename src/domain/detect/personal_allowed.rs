//! What looks like personal data and is nobody's: addresses of machines, examples, test cards, private networks.

use super::personal_japan::stands_alone;
use std::ops::Range;

/// Whether an e-mail address is a person's, as far as its words tell.
pub(super) fn is_address_of_somebody(view: &str, range: &Range<usize>) -> bool {
    let address = view[range.clone()].to_ascii_lowercase();
    let Some((local, domain)) = address.split_once('@') else { return false };
    let labels: Vec<&str> = domain.split('.').collect();
    let (Some(first), Some(last)) = (labels.first(), labels.last()) else { return false };
    let bare: String = local.chars().filter(char::is_ascii_alphanumeric).collect();
    let before = &view[..range.start];
    let after = view[range.end..].chars().next();
    let scp = after == Some(':') && view[range.end + 1..].starts_with(['/', '~', '.']);
    !(local.is_empty()
        || ["noreply", "donotreply", "git", "hg", "svn"].contains(&bare.as_str())
        || bare.starts_with("noreply")
        || domain.contains("noreply")
        || labels.iter().any(|label| ["example", "localhost", "yourdomain", "yourcompany"].contains(label))
        || ["domain.com", "company.com", "email.com", "host.com"].contains(&domain)
        || TOPS.contains(last)
        || first.starts_with(|c: char| c.is_ascii_digit()) && labels.len() > 1 && labels[1].len() <= 3
        || is_in_authority(before)
        || scp)
}

/// Whether what follows belongs to the user, password or host of a URL.
fn is_in_authority(before: &str) -> bool {
    let token = before.bytes().rev().take(256).take_while(u8::is_ascii_graphic).count();
    let token = &before[before.len() - token..];
    token.rfind("://").is_some_and(|at| !token[at + 3..].contains(['/', '?', '#', '"', '<', '(']))
}

/// Ends of domains that no person has: reserved ones, and endings of files.
const TOPS: [&str; 20] = [
    "test",
    "invalid",
    "localhost",
    "local",
    "internal",
    "example",
    "lan",
    "js",
    "ts",
    "mjs",
    "json",
    "yml",
    "yaml",
    "html",
    "css",
    "png",
    "jpg",
    "svg",
    "py",
    "rs",
];

/// Whether a number that passes the Luhn check is a card that may be somebody's.
pub(super) fn is_card(view: &str, range: &Range<usize>) -> bool {
    let text = &view[range.clone()];
    let groups: Vec<usize> = text.split([' ', '-']).map(str::len).collect();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let starts = |from: u32, to: u32, length: usize| {
        digits.get(..length).and_then(|head| head.parse().ok()).is_some_and(|head: u32| (from..=to).contains(&head))
    };
    let known = match digits.len() {
        14 => starts(36, 36, 2) || starts(38, 39, 2) || starts(300, 305, 3),
        15 => starts(34, 34, 2) || starts(37, 37, 2),
        16 => {
            starts(4, 4, 1)
                || starts(51, 55, 2)
                || starts(2221, 2720, 4)
                || starts(3528, 3589, 4)
                || starts(6011, 6011, 4)
                || starts(644, 659, 3)
        }
        _ => false,
    };
    let grouped = matches!(groups.as_slice(), [_] | [4, 4, 4, 4] | [4, 6, 4 | 5]);
    let mut distinct: Vec<u8> = digits.bytes().collect();
    distinct.sort_unstable();
    distinct.dedup();
    known && grouped && distinct.len() > 3 && !TEST_CARDS.contains(&digits.as_str()) && stands_alone(view, range)
}

/// Numbers that providers of payments give to everyone for tests.
const TEST_CARDS: [&str; 14] = [
    "4242424242424242",
    "4012888888881881",
    "4000056655665556",
    "4000002500003155",
    "5200828282828210",
    "5105105105105100",
    "2223003122003222",
    "378282246310005",
    "371449635398431",
    "378734493671000",
    "374245455400126",
    "3530111333300000",
    "6011000990139424",
    "30569309025904",
];

/// Whether an address is one of the open net and no version.
pub(super) fn is_public_ip(view: &str, range: &Range<usize>) -> bool {
    let octets: Vec<u8> = view[range.clone()].split('.').filter_map(|part| part.parse().ok()).collect();
    let Ok(octets) = <[u8; 4]>::try_from(octets) else { return false };
    let reserved = match octets {
        [0 | 10 | 127 | 224.., ..]
        | [169, 254, ..]
        | [192, 168, ..]
        | [192, 0, 2, _]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => true,
        [172, second, ..] => (16..32).contains(&second),
        [100, second, ..] => (64..128).contains(&second),
        _ => false,
    };
    // Four small numbers are a version; a network ends with 0.
    let version = octets.iter().all(|octet| *octet < 32) || octets[3] == 0;
    let well_known = [[8, 8, 8, 8], [8, 8, 4, 4], [1, 1, 1, 1], [1, 0, 0, 1], [9, 9, 9, 9]].contains(&octets);
    let before = &view.as_bytes()[..range.start];
    let joined = match before.last() {
        Some(b'/') => before.len() >= 2 && before[before.len() - 2].is_ascii_alphanumeric(),
        Some(byte) => byte.is_ascii_alphanumeric() || b"_-.".contains(byte),
        None => false,
    };
    let after = &view.as_bytes()[range.end..];
    let goes_on = after.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    !reserved && !version && !well_known && !joined && !goes_on && !follows_version(view, range.start)
}

/// Whether the words just before say "version".
fn follows_version(view: &str, at: usize) -> bool {
    let mut from = at.saturating_sub(24);
    while !view.is_char_boundary(from) {
        from -= 1;
    }
    let before = view[from..at].to_lowercase();
    let before = before.rsplit(['\n', '。', ',', '、']).next().unwrap_or_default();
    ["version", "バージョン", "版", "ver.", "ver ", " v "].iter().any(|word| before.contains(word))
}

/// Whether a home folder has the name of somebody. `at` is where the path begins.
pub(super) fn is_home_of_somebody(view: &str, at: usize, name: &str) -> bool {
    let before = view[..at].chars().next_back();
    let in_a_path = before.is_some_and(|c| c.is_alphanumeric() || "_-.~$}".contains(c));
    let name = name.trim_end_matches(['.', '-']).to_lowercase();
    !in_a_path && !name.is_empty() && !NOBODY.contains(&name.as_str())
}

/// Accounts of machines, placeholders, and routes of web pages that begin like home folders.
const NOBODY: [&str; 70] = [
    "runner",
    "root",
    "user",
    "users",
    "username",
    "user1",
    "ubuntu",
    "ec2-user",
    "admin",
    "administrator",
    "you",
    "your",
    "yourname",
    "your-name",
    "your_name",
    "name",
    "me",
    "app",
    "node",
    "vscode",
    "coder",
    "git",
    "jenkins",
    "circleci",
    "travis",
    "gitpod",
    "codespace",
    "vagrant",
    "pi",
    "deploy",
    "www-data",
    "debian",
    "centos",
    "opc",
    "azureuser",
    "core",
    "shared",
    "public",
    "default",
    "guest",
    "test",
    "dev",
    "developer",
    "docker",
    "container",
    "builder",
    "build",
    "runneradmin",
    "containeradministrator",
    "foo",
    "bar",
    "hoge",
    "alice",
    "bob",
    "example",
    "xxx",
    "linuxbrew",
    "nonroot",
    "jovyan",
    "sandbox",
    "settings",
    "profile",
    "index",
    "page",
    "dashboard",
    "about",
    "ユーザー名",
    "ユーザー",
    "名前",
    "利用者名",
];
