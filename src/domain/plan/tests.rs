//! Plans in their three shapes, what is wrong with them, and the way to YAML and back.

use super::*;
use proptest::prelude::*;

const PLAN: &str = "\
前書き: 三つに分ける。

## 子1: 取り消しの操作
- 対応する親要件: R-1
- 依存: 子3
- 目的: 取り消せる
- 受け入れ条件:
  - AC-1: 終了コードが 0
  - AC-2: 1 行出る
- 打ち切り条件: 4 回で中断
- 予算(max_iterations): 4

## 子2: 一覧からの除外
### 対応する親要件
「一覧から消える」
### 受け入れ条件
- AC-1: 0 件になる

```
子2 は 子1 に依存する
```
### 依存
なし

## 子3: 期限切れ(R-3)
**目的**: 拒否する
受け入れ条件:
- AC-1: 終了コードが 2

各子の成功基準: AC のテストが通る。

子2は子1に依存する。
";

fn whole(text: &str) -> Plan {
    match read(text, &[], Language::Ja) {
        Read::Plan(plan) => *plan,
        other => panic!("{other:?}\n{text}"),
    }
}

fn edges(plan: &Plan) -> Vec<Vec<usize>> {
    plan.children.iter().map(|child| child.blocked_by.clone()).collect()
}

#[test]
fn an_outline_is_read() {
    let plan = whole(PLAN);
    assert_eq!(plan.shape, PlanShape::Outline);
    let titles: Vec<_> = plan.children.iter().map(|child| (child.label.as_str(), child.title.as_str())).collect();
    assert_eq!(titles, [("子1", "取り消しの操作"), ("子2", "一覧からの除外"), ("子3", "期限切れ(R-3)")]);
    assert_eq!(edges(&plan), [vec![2], vec![0], vec![]]);
    let covers: Vec<_> = plan.children.iter().map(|child| child.covers.join(" ")).collect();
    assert_eq!(covers, ["R-1", "一覧から消える", "R-3"]);
    assert_eq!(plan.defects, []);
    assert_eq!(
        plan.children[0].body,
        "## 対応する親要件\n\nR-1\n\n## 目的\n\n取り消せる\n\n## 受け入れ条件\n\n- AC-1: 終了コードが 0\n- AC-2: 1 行出る\n\n\
         ## 成功基準\n\nAC のテストが通る。\n\n## 打ち切り条件\n\n4 回で中断\n\n## 予算(max_iterations)\n\n4\n"
    );
    assert_eq!(
        plan.children[2].body,
        "## 目的\n\n拒否する\n\n## 受け入れ条件\n\n- AC-1: 終了コードが 2\n\n## 成功基準\n\nAC のテストが通る。\n"
    );
    assert!(plan.children[1].body.contains("```\n子2 は 子1 に依存する\n```"));
}

#[test]
fn a_table_is_read() {
    let fields = [
        PlanField { name: "Parent requirement".into(), aliases: vec!["Covers".into()], numbered: None },
        PlanField { name: "Purpose".into(), aliases: vec![], numbered: None },
        PlanField { name: "Acceptance criteria".into(), aliases: vec![], numbered: Some("AC".into()) },
        PlanField { name: "Success criteria".into(), aliases: vec![], numbered: None },
        PlanField { name: "Budget (max_iterations)".into(), aliases: vec!["max_iterations".into()], numbered: None },
    ];
    let text = "## Split plan\n\n\
        | # | Purpose | Covers | Depends on | Acceptance criteria | max_iterations | Risk |\n|---|---|---|---|---|---|---|\n\
        | 1 | List the files | R-1 | - | prints 3 names<br>exits 0 | 2 | low |\n\
        | 2 | Refuse a **broken** one | R-2, R-3 | #1 | `a \\| b` exits 4 | 2 | |\n\n\
        SC-1 of each child: a test asserts its criterion.\n\n<!-- #1 is blocked by #2 -->\n";
    let Read::Plan(plan) = read(text, &fields, Language::En) else { panic!("a plan") };
    assert_eq!(plan.shape, PlanShape::Table);
    assert_eq!(edges(&plan), [vec![], vec![0]]);
    let titles: Vec<_> = plan.children.iter().map(|child| (child.label.as_str(), child.title.as_str())).collect();
    assert_eq!(titles, [("Child 1", "List the files"), ("Child 2", "Refuse a broken one")]);
    assert_eq!(
        plan.children[0].body,
        "## Parent requirement\n\nR-1\n\n## Purpose\n\nList the files\n\n## Acceptance criteria\n\n- AC-1: prints 3 names\n\
         - AC-2: exits 0\n\n## Success criteria\n\n- SC-1: a test asserts its criterion.\n\n\
         ## Budget (max_iterations)\n\n2\n\n## Risk\n\nlow\n"
    );
    assert!(plan.children[1].body.contains("- AC-1: `a | b` exits 4\n"), "{}", plan.children[1].body);
    let requirements: Vec<_> =
        plan.requirements.iter().map(|one| (one.parent_requirement.as_str(), one.children.clone())).collect();
    assert_eq!(requirements, [("R-1", vec![0]), ("R-2", vec![1]), ("R-3", vec![1])]);
}

#[test]
fn yaml_is_read() {
    let text = "Plan:\n\n```yaml\nchildren:\n- title: One\n  body: |\n    ## Purpose\n\n    x\n  blocked_by: [1]\n- title: Two\n  body: \"## Covers\\nR-2\\n\"\n  blocked_by: -\n\
        requirements_map:\n- parent_requirement: R-1\n  children: [0, 7]\n```\n";
    let text = text.replace("blocked_by: -\n", "blocked_by: \"-\"\n");
    let plan = whole(&text);
    assert_eq!(plan.shape, PlanShape::Yaml);
    assert_eq!(edges(&plan), [vec![1], vec![]]);
    assert_eq!(plan.children[0].body, "## Purpose\n\nx\n");
    assert_eq!(plan.children[0].label, "children[0]");
    assert_eq!(&text[plan.children[1].place.clone().unwrap()], "title: Two");
    let covers: Vec<_> = plan.children.iter().map(|child| child.covers.join(" ")).collect();
    assert_eq!(covers, ["R-1", "R-2"]);
    let wrong = PlanDefect::BadRequirementIndex { parent_requirement: "R-1".into(), written: "7".into() };
    assert_eq!(plan.defects, [wrong]);
}

#[track_caller]
fn check_defects(text: &str, expect: &[PlanDefect]) {
    assert_eq!(whole(text).defects, expect, "{text}");
}

fn outline(depends: &[&str]) -> String {
    let child = |(index, on): (usize, &&str)| format!("### 子{}: 題\n- 目的: x\n- 依存: {on}\n\n", index + 1);
    depends.iter().enumerate().map(child).collect()
}

#[test]
fn defects_are_told() {
    let bad = |child, written: &str| PlanDefect::BadIndex { child, written: written.to_owned() };
    check_defects(&outline(&["子1", "なし"]), &[PlanDefect::SelfDependency { child: 0 }]);
    check_defects(&outline(&["子9", "なし"]), &[bad(0, "9")]);
    check_defects(&outline(&["なし", "#1, #4"]), &[bad(1, "#4")]);
    check_defects(&outline(&["最初", "なし"]), &[bad(0, "最初")]);
    let twice = outline(&["なし", "子1"]) + "### 子2: 題\n- 目的: x\n";
    check_defects(&twice, &[PlanDefect::DuplicateNumber { child: 2, written: "2".into() }]);
    let yaml =
        |on: &str| format!("```yaml\nchildren:\n- title: a\n  body: b\n  blocked_by: {on}\n- title: c\n  body: d\n```");
    check_defects(
        &yaml("[0, -1, x, 1.5, 2, 1]"),
        &[PlanDefect::SelfDependency { child: 0 }, bad(0, "-1"), bad(0, "x"), bad(0, "1.5"), bad(0, "2")],
    );
    check_defects(&yaml("[]"), &[]);
    check_defects(&yaml("なし"), &[]);
    check_defects(&yaml(""), &[]);
}

#[test]
fn what_is_no_plan_adds_nothing() {
    for text in [
        "",
        "子に分ける。",
        "### 子1: 題\n### 子2: 題\n",
        "| 親要件 | 子 | 成果 |\n|---|---|---|\n| R-1 | #4 | 済 |",
        "| # | 内容 |\n|---|---|\n| 1 | a |",
        "```yaml\nchildren: [0, 1]\nblocked_by: [1]\n```",
        "> ### 子1: 題\n> - 目的: x\n> - 依存: なし",
        "<!--\n### 子1: 題\n- 目的: x\n-->",
        "```\n### 子1: 題\n- 目的: x\n```",
        "```json\n{\"children\": []}\n```",
    ] {
        let found = read(text, &[], Language::Ja);
        assert!(matches!(found, Read::None | Read::Broken(_)), "{text}: {found:?}");
    }
    let both = format!("{}\n## 別の案\n\n{}", outline(&["なし", "子1"]), outline(&["子2", "なし"]));
    assert_eq!(read(&both, &[], Language::Ja), Read::Several(2));
    let yaml = "```yaml\nchildren:\n- {title: a, body: b}\n```\n";
    assert_eq!(read(&format!("{yaml}\n{yaml}"), &[], Language::Ja), Read::Several(2));
    assert_eq!(read(&format!("{yaml}\n{}", outline(&["なし"])), &[], Language::Ja), Read::Several(2));
}

#[test]
fn broken_yaml_is_told_with_its_line() {
    let problems = |text: &str| match read(text, &[], Language::Ja) {
        Read::Broken(problems) => problems,
        other => panic!("{other:?}"),
    };
    let found = problems("a\n\n```yaml\nchildren:\n- title: a\n  body: [b\n```\n");
    assert!(matches!(&found[..], [PlanProblem { line: 4..=7, kind: PlanProblemKind::Syntax(_) }]), "{found:?}");
    let found = problems("```yaml\nchildren:\n- title: a\n  body: b\n- body: c\n- title: d\n```\n");
    assert_eq!(
        found.iter().map(|problem| problem.kind.clone()).collect::<Vec<_>>(),
        [PlanProblemKind::NoTitle { child: 1 }, PlanProblemKind::NoBody { child: 2 }]
    );
    let lines: Vec<String> = (0..40).map(|level| format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1)).collect();
    let bomb = lines.concat();
    let found = problems(&format!("```yaml\na: &a-1 [x]\n{bomb}children:\n- title: a\n  body: b\n```\n"));
    assert!(matches!(&found[..], [PlanProblem { kind: PlanProblemKind::Syntax(_), .. }]), "{found:?}");
}

#[test]
fn a_table_beside_an_outline_adds_dependencies() {
    let table = "| # | 題 | 対応する親要件 | 依存 |\n|---|---|---|---|\n| 1 | a | R-1 | #2 |\n| 2 | b | R-2 | - |\n\n";
    let plan = whole(&format!("{table}{}", outline(&["なし", "なし"])));
    assert_eq!((plan.shape, edges(&plan)), (PlanShape::Outline, vec![vec![1], vec![]]));
    let alone = whole(table);
    assert_eq!((alone.shape, edges(&alone)), (PlanShape::Table, vec![vec![1], vec![]]));
}

#[test]
fn sub_issues_are_a_plan() {
    let issue = |number, body: &str, on: &[u64]| IssueChild {
        number: IssueNumber(number),
        title: format!("t{number}"),
        body: body.to_owned(),
        blocked_by: on.iter().map(|number| IssueNumber(*number)).collect(),
    };
    let issues = [issue(26, "## Covers\nR-1\n", &[27, 99]), issue(27, "R-2", &[26, 27])];
    let plan = of_issues(&issues, &[], Language::En);
    assert_eq!(edges(&plan), [vec![1], vec![0]]);
    assert_eq!(plan.cycles(), [vec![1, 1], vec![0, 1, 0]]);
    assert_eq!((plan.children[0].label.as_str(), plan.children[0].covers.join(" ").as_str()), ("#26", "R-1"));
}

#[test]
fn large_and_hostile_texts_end_soon() {
    let many: Vec<_> = (1..=1_000).map(|number| format!("子{}", number % 1_000 + 1)).collect();
    let plan = whole(&outline(&many.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_eq!((plan.children.len(), plan.cycles()[0].len()), (1_000, 1_001));
    for piece in [
        "### 子1: 題\n- 目的: x\n",
        "子1は子2に依存",
        "#1, ",
        "| 1 | a | R-1 | - |\n",
        "- 依存: 1〜999\n",
        "「",
        "各子の",
        "R-1〜R-99 ",
        "> ",
        "<!-- ",
        "<br>",
        "**a",
    ] {
        let body = piece.repeat((1 << 16) / piece.len());
        let head = "| # | 目的 | 対応する親要件 | 依存 |\n|---|---|---|---|\n";
        let child = "### 子1: 題\n- 目的: x\n";
        for text in [format!("{head}{body}"), format!("{child}- 依存: {body}")] {
            let _ = read(&text, &[], Language::Ja);
        }
    }
}

fn bare(plan: &Plan) -> Vec<(String, String, Vec<usize>, Vec<String>)> {
    let child = |child: &PlannedChild| {
        let mut covers = child.covers.clone();
        covers.sort();
        (child.title.clone(), child.body.clone(), child.blocked_by.clone(), covers)
    };
    plan.children.iter().map(child).collect()
}

#[test]
fn yaml_gives_the_plan_back() {
    for text in [PLAN.to_owned(), outline(&["子2", "子9", "子3"])] {
        let plan = whole(&text);
        let again = whole(&plan.yaml());
        assert_eq!(bare(&again), bare(&plan));
        assert_eq!(again.cycles(), plan.cycles());
        assert_eq!(whole(&format!("````yaml\n{}````\n", plan.yaml())).yaml(), plan.yaml());
    }
}

proptest! {
    #[test]
    fn any_text_is_read(pieces in proptest::collection::vec(prop_oneof![
        "[ -~ぁ-ん。、：\n\r\t]{0,20}",
        Just("### 子1: 題\n".to_owned()), Just("## Child 2 - t\r\n".to_owned()), Just("- 依存: #1, 子2\n".to_owned()),
        Just("| # | 目的 | 依存 | 受け入れ条件 |\n|---|---|---|---|\n".to_owned()), Just("| 1 | a<br>b | #1 | \\| |\n".to_owned()),
        Just("```yaml\nchildren:\n- title: a\n  body: b\n".to_owned()), Just("```\n".to_owned()), Just("<!-- ".to_owned()),
        Just("各子の成功基準: x\n".to_owned()), Just("題\n===\n".to_owned()), Just("> ".to_owned()),
    ], 0..14)) {
        let text = pieces.concat();
        if let Read::Plan(plan) = read(&text, &[], Language::En) {
            for child in &plan.children {
                prop_assert!(child.place.clone().is_none_or(|place| text.get(place).is_some()));
                prop_assert!(child.blocked_by.iter().all(|on| *on < plan.children.len() && *on != child.index));
                prop_assert!(!child.title.contains('\n'));
            }
            prop_assert!(plan.cycles().iter().all(|path| path.first() == path.last()));
            if let Read::Plan(again) = read(&plan.yaml(), &[], Language::En) {
                prop_assert_eq!(bare(&again), bare(&plan));
            } else {
                prop_assert!(false, "{}", plan.yaml());
            }
        }
    }

    #[test]
    fn bodies_survive_yaml(bodies in proptest::collection::vec("(?s).{0,40}", 1..4), title in "[^\n]{1,20}") {
        let child = |(index, body): (usize, String)| PlannedChild {
            index, label: String::new(), number: None, title: format!("t{title}"), body, blocked_by: vec![], covers: vec![], place: None,
        };
        let children: Vec<_> = bodies.into_iter().enumerate().map(child).collect();
        let plan = Plan { shape: PlanShape::Yaml, children, requirements: vec![], defects: vec![] };
        let Read::Plan(again) = read(&plan.yaml(), &[], Language::En) else { panic!("{}", plan.yaml()) };
        let bodies = |plan: &Plan| plan.children.iter().map(|child| child.body.clone()).collect::<Vec<_>>();
        prop_assert_eq!(bodies(&again), bodies(&plan));
    }
}
