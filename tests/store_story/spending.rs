//! The part of the story about what models cost: caps of a day, reservations, receipts.

use super::world::{at, lane};
use chrono::{DateTime, Duration, Utc};
use sekisho::domain::event::Lane;
use sekisho::domain::ids::{GateId, InstallationId, IssueNumber, RepositoryId, RunId};
use sekisho::domain::reply::Scope;
use sekisho::domain::reply::{Budget, MicroDollars, Receipt, Spent, Usage};
use sekisho::ports::{Budgets, PaidReceipt, Purchase, PurchaseId, Reserved, SpentBy, Store, StoreError};

/// The last millisecond of the story's first day.
fn evening() -> DateTime<Utc> {
    midnight() - Duration::milliseconds(1)
}

/// The beginning of its second.
fn midnight() -> DateTime<Utc> {
    "2023-11-15T00:00:00Z".parse().expect("a fixed time")
}

fn of(tokens: u64, money: u64) -> Spent {
    Spent { tokens, money: MicroDollars(money) }
}

fn tokens(most: u64) -> Budget {
    Budget { tokens: Some(most), money: None }
}

fn purchase(estimate: Spent, at: DateTime<Utc>) -> Purchase {
    Purchase { run: RunId::new("j.start"), gate: GateId::Start, lane: lane(1), at, estimate }
}

/// The same of another repository.
fn elsewhere(installation: u64, repository: u64, estimate: Spent) -> Purchase {
    let lane = Lane {
        installation: InstallationId(installation),
        repository: RepositoryId(repository),
        number: IssueNumber(9),
    };
    Purchase { lane, run: RunId::new("k.start"), ..purchase(estimate, at(0)) }
}

fn receipt(response: &str, input: u64, output: u64) -> Receipt {
    Receipt {
        provider: "anthropic".to_owned(),
        asked: "strong".to_owned(),
        model: "m-1 \"quoted\" \0".to_owned(),
        response: response.to_owned(),
        request_hash: "aa".repeat(32),
        response_hash: "bb".repeat(32),
        usage: Usage { input, cached: 7, cache_written: 3, output },
        latency_ms: 1_234,
    }
}

async fn granted(store: &impl Store, purchase: &Purchase, budgets: &Budgets) -> PurchaseId {
    match store.reserve(purchase, budgets).await.expect("answered") {
        Reserved::Granted(id) => id,
        used_up @ Reserved::UsedUp { .. } => panic!("{used_up:?}"),
    }
}

/// What stands for the story's own repository on the day of that time.
async fn spent(store: &impl Store, day: DateTime<Utc>) -> Option<Spent> {
    let all = store.spent(day).await.expect("read");
    all.iter().find(|by| by.repository == lane(1).repository).map(|by| by.spent)
}

pub async fn a_call_is_reserved_then_paid_and_its_receipt_read_back(store: impl Store) {
    let (run, free) = (RunId::new("j.start"), Budgets::default());
    assert_eq!(store.spent(at(0)).await, Ok(vec![]));
    assert_eq!(store.receipts(&run).await, Ok(vec![]));

    let first = granted(&store, &purchase(of(5_000, 20_000), at(0)), &free).await;
    let second = granted(&store, &purchase(of(5_000, 20_000), at(5)), &free).await;
    let other = granted(&store, &elsewhere(4242, 78, of(1, 1)), &free).await;
    assert!(first != second && second != other && first != other);
    assert_eq!(spent(&store, at(0)).await, Some(of(10_000, 40_000)), "estimates count");
    assert_eq!(store.receipts(&run).await, Ok(vec![]), "nothing was answered yet");

    // The second is answered first: they stand in the order of the calls all the same.
    let (one, two) = (receipt("msg_1", 900, 100), receipt("msg_2", 6_000, 1_000));
    store.paid(second, &two, None).await.expect("paid");
    store.paid(first, &one, Some(MicroDollars(12_300))).await.expect("paid");
    store.paid(other, &receipt("msg_3", 1, 1), Some(MicroDollars(1))).await.expect("paid");
    assert_eq!(
        spent(&store, at(0)).await,
        Some(of(8_000, 12_300)),
        "what was used replaces the estimate, also if more"
    );
    let paid = |receipt: &Receipt, cost, ms| PaidReceipt {
        hash: receipt.hash(),
        receipt: receipt.clone(),
        cost,
        run: run.clone(),
        gate: GateId::Start,
        lane: lane(1),
        at: at(ms),
    };
    let both = vec![paid(&one, Some(MicroDollars(12_300)), 0), paid(&two, None, 5)];
    assert_eq!(store.receipts(&run).await, Ok(both.clone()));

    // The same again changes nothing; another receipt, or none at all, is refused.
    store.paid(first, &one, Some(MicroDollars(12_300))).await.expect("known");
    let never = PurchaseId(999);
    for refused in [
        store.paid(first, &two, None).await,
        store.release(first).await,
        store.paid(never, &one, None).await,
        store.release(never).await,
        store.paid(PurchaseId(u64::MAX), &one, None).await,
    ] {
        assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    }
    assert_eq!(store.receipts(&run).await, Ok(both));
    assert_eq!(spent(&store, at(0)).await, Some(of(8_000, 12_300)));
}

pub async fn what_was_released_counts_no_more_and_what_is_unknown_does(store: impl Store) {
    let budgets = Budgets { repository: tokens(100), ..Budgets::default() };
    let first = granted(&store, &purchase(of(100, 7), at(0)), &budgets).await;
    let until = midnight();
    let full = Ok(Reserved::UsedUp { scope: Scope::Repository, until });
    assert_eq!(store.reserve(&purchase(of(1, 0), at(1)), &budgets).await, full);
    store.release(first).await.expect("open");
    store.release(first).await.expect("the same again changes nothing");
    let late = store.paid(first, &receipt("msg", 1, 1), None).await;
    assert!(matches!(late, Err(StoreError::Conflict(_))), "{late:?}");
    assert_eq!(spent(&store, at(0)).await, Some(of(0, 0)));
    assert_eq!(store.receipts(&RunId::new("j.start")).await, Ok(vec![]), "a call that used nothing has no receipt");

    // A crash after this one: the same run asks again, and what was reserved goes on counting.
    let before = granted(&store, &purchase(of(60, 0), at(2)), &budgets).await;
    assert_eq!(store.reserve(&purchase(of(60, 0), at(3)), &budgets).await, full);
    let again = granted(&store, &purchase(of(40, 0), at(3)), &budgets).await;
    assert_ne!(again, before);
    assert_eq!(spent(&store, at(0)).await, Some(of(100, 0)));
}

pub async fn each_scope_has_its_cap(store: impl Store) {
    let until = midnight();
    let budgets = Budgets { app: tokens(100), installation: tokens(70), repository: tokens(40) };
    let refused = |scope| Ok(Reserved::UsedUp { scope, until });
    let ask = |installation, repository, much| {
        let (store, budgets) = (&store, &budgets);
        async move { store.reserve(&elsewhere(installation, repository, of(much, 0)), budgets).await }
    };
    let is_granted = |answer: Result<Reserved, StoreError>| assert!(matches!(answer, Ok(Reserved::Granted(_))));

    is_granted(ask(1, 10, 40).await);
    assert_eq!(ask(1, 10, 1).await, refused(Scope::Repository));
    is_granted(ask(1, 11, 30).await);
    assert_eq!(ask(1, 12, 1).await, refused(Scope::Installation));
    assert_eq!(ask(1, 10, 1).await, refused(Scope::Installation), "of two the wider one");
    // Installed anew, under another id: it is the same repository.
    assert_eq!(ask(2, 10, 1).await, refused(Scope::Repository));
    is_granted(ask(2, 20, 30).await);
    assert_eq!(ask(3, 30, 1).await, refused(Scope::App));
    assert_eq!(ask(1, 10, 1).await, refused(Scope::App), "of three the widest");
    is_granted(ask(1, 10, 0).await);

    let by = |installation, repository, much| SpentBy {
        installation: InstallationId(installation),
        repository: RepositoryId(repository),
        spent: of(much, 0),
    };
    let all = vec![by(1, 10, 40), by(1, 11, 30), by(2, 20, 30)];
    assert_eq!(store.spent(at(0)).await, Ok(all), "who was refused left nothing");

    // Money has caps of its own, and a scope without a cap none.
    let money = Budget { tokens: None, money: Some(MicroDollars(500)) };
    let budgets = Budgets { installation: money, ..Budgets::default() };
    is_granted(store.reserve(&elsewhere(4, 40, of(9_999, 500)), &budgets).await);
    assert_eq!(store.reserve(&elsewhere(4, 41, of(0, 1)), &budgets).await, refused(Scope::Installation));
    is_granted(store.reserve(&elsewhere(5, 50, of(9_999, 500)), &budgets).await);
}

pub async fn a_day_ends_at_midnight(store: impl Store) {
    let budgets = Budgets { app: tokens(100), ..Budgets::default() };
    let id = granted(&store, &purchase(of(100, 0), evening()), &budgets).await;
    let full = |until| Ok(Reserved::UsedUp { scope: Scope::App, until });
    assert_eq!(store.reserve(&purchase(of(1, 0), evening()), &budgets).await, full(midnight()));
    granted(&store, &purchase(of(90, 0), midnight()), &budgets).await;
    assert_eq!(store.reserve(&purchase(of(11, 0), midnight()), &budgets).await, full(midnight() + Duration::days(1)));
    // Answered after midnight: it counts for the day on which it was asked.
    store.paid(id, &receipt("msg", 40, 2), None).await.expect("paid");
    assert_eq!(spent(&store, at(0)).await, Some(of(42, 0)));
    assert_eq!(spent(&store, midnight()).await, Some(of(90, 0)));
    assert_eq!(spent(&store, midnight() - Duration::days(2)).await, None);
    // A call that is larger than a whole day's budget never goes through.
    assert_eq!(
        store.reserve(&purchase(of(101, 0), midnight() + Duration::days(1)), &budgets).await,
        full(midnight() + Duration::days(2))
    );
}

pub async fn sums_stop_at_the_largest_number(store: impl Store) {
    let free = Budgets::default();
    let largest = of(u64::MAX, u64::MAX);
    // A column holds half of the largest number: after three, the sum is the largest.
    for _ in 0..3 {
        granted(&store, &purchase(largest, at(0)), &free).await;
    }
    assert_eq!(spent(&store, at(0)).await, Some(largest));
    granted(&store, &elsewhere(4242, 78, largest), &free).await;
    let until = midnight();
    for (budgets, scope) in [
        (Budgets { app: tokens(u64::MAX - 1), ..Budgets::default() }, Scope::App),
        (Budgets { installation: tokens(u64::MAX - 1), ..Budgets::default() }, Scope::Installation),
        (Budgets { repository: tokens(u64::MAX - 1), ..Budgets::default() }, Scope::Repository),
    ] {
        let refused = Ok(Reserved::UsedUp { scope, until });
        assert_eq!(store.reserve(&purchase(of(1, 1), at(0)), &budgets).await, refused);
    }
    let id = granted(&store, &elsewhere(1, 2, largest), &free).await;
    let receipt = receipt("msg", u64::MAX, u64::MAX);
    store.paid(id, &receipt, Some(MicroDollars(u64::MAX))).await.expect("paid");
    let paid = store.receipts(&RunId::new("k.start")).await.expect("read");
    assert_eq!(paid.iter().map(|paid| &paid.receipt).collect::<Vec<_>>(), [&receipt], "the receipt itself is exact");
    assert_eq!(paid.first().and_then(|paid| paid.cost), Some(MicroDollars(u64::MAX / 2)));
}

/// A budget that ten calls of 1000 fit into, and no more.
fn ten() -> Budgets {
    Budgets { repository: Budget { tokens: None, money: Some(MicroDollars(10_999)) }, ..Budgets::default() }
}

/// Fifty ask at once, each of these stores in turn, for a budget of ten: ten get it, and what is refused is refused until
/// midnight.
pub async fn ten_of_fifty_are_granted(stores: &[&impl Store]) {
    let budgets = ten();
    let asks = stores.iter().cycle().take(50).enumerate().map(|(n, store)| {
        let purchase = Purchase { run: RunId::new(format!("j{n}.start")), ..purchase(of(10, 1_000), at(0)) };
        let budgets = &budgets;
        async move { store.reserve(&purchase, budgets).await.expect("answered") }
    });
    let answers = futures::future::join_all(asks).await;
    let mut granted: Vec<_> = answers
        .iter()
        .filter_map(|answer| match answer {
            Reserved::Granted(id) => Some(*id),
            Reserved::UsedUp { scope, until } => {
                assert_eq!((*scope, *until), (Scope::Repository, midnight()));
                None
            }
        })
        .collect();
    granted.sort_unstable();
    granted.dedup();
    assert_eq!(granted.len(), 10);
    for store in stores {
        assert_eq!(spent(*store, at(0)).await, Some(of(100, 10_000)));
    }
}

/// After [`ten_of_fifty_are_granted`], in a later life of the same database.
pub async fn nothing_is_left(store: &impl Store) {
    assert_eq!(spent(store, at(0)).await, Some(of(100, 10_000)));
    let refused = Reserved::UsedUp { scope: Scope::Repository, until: midnight() };
    assert_eq!(store.reserve(&purchase(of(10, 1_000), at(9)), &ten()).await, Ok(refused));
}

pub async fn many_that_ask_at_once_pass_no_cap(store: impl Store) {
    ten_of_fifty_are_granted(&[&store]).await;
}
