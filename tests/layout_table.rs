//! Mistakes in the tables of structures and enumerations are refused, with the line and the reason.

use ldy_codegen::{Build, Declaration, PerBuild, Table};

const HEAD: &str = "# a comment\n\nset\tSET\tboth\tstruct guard SET_TYPE\t40\t48\t-\tA set.\n";
const ENUMERATION: &str = "kind\tKIND\tboth\tenum\t-\tKinds.\nkind\tKIND\tboth\tONE\t0x10\tone\n";

/// Why a table of one structure with this row as its only field, on line 4, is refused.
fn refusal(row: &str) -> String {
    match Table::parse(&format!("{HEAD}{row}\n"), ENUMERATION) {
        Ok(_) => panic!("accepted: {row}"),
        Err(error) => error,
    }
}

#[test]
fn a_good_table_is_read() {
    let rows = "set\tSET\tboth\tSET *p\t0\t0\t8\tparent\nset\tSET\tmpi\tenum kind kinds[2]\t-\t8\t8\tkinds\n";
    let table = Table::parse(&format!("{HEAD}{rows}"), ENUMERATION).unwrap_or_else(|error| panic!("{error}"));
    let set = table.structure("SET").expect("its only structure");
    assert_eq!((set.tag.as_str(), set.guard.as_deref()), ("set", Some("SET_TYPE")));
    assert_eq!(set.size, Some(PerBuild { serial: Some(40), mpi: Some(48) }));
    let [parent, kinds] = &set.fields[..] else { panic!("two fields") };
    assert_eq!(
        parent.declaration,
        Declaration { base: "SET".into(), pointers: 1, name: "p".into(), length: None }
    );
    assert_eq!(
        kinds.declaration,
        Declaration { base: "enum kind".into(), pointers: 0, name: "kinds".into(), length: Some(2) }
    );
    assert_eq!((kinds.build, kinds.offset), (Build::Mpi, PerBuild { serial: None, mpi: Some(8) }));
}

#[test]
fn columns_are_counted_and_filled() {
    assert_eq!(refusal("set\tSET\tboth"), "layout.tsv: line 4: 3 columns, 8 expected");
    assert_eq!(refusal("set\tSET\tboth\tSET *p\t0\t0\t8\t"), "layout.tsv: line 4: column 8 is empty");
}

#[test]
fn words_and_numbers_are_checked() {
    assert_eq!(refusal("set\tSET\tsome\tSET *p\t0\t0\t8\tp"), "layout.tsv: line 4: `some` is no build");
    assert_eq!(refusal("set\tSET\tboth\tSET *p\tx\t0\t8\tp"), "layout.tsv: line 4: `x` is no number");
    assert_eq!(refusal("set\tSET\tboth\tSET*\t0\t0\t8\tp"), "layout.tsv: line 4: `SET*` is no declaration");
    assert_eq!(
        refusal("map\tMAP\tboth\tSET *p\t0\t0\t8\tp"),
        "layout.tsv: line 4: a field of map (MAP) outside its structure"
    );
    assert_eq!(refusal("set\tSET\tboth\tstruct\t8\t8\t-\tp"), "layout.tsv: line 4: second structure SET");
}

#[test]
fn offsets_and_sizes_must_agree() {
    let refused = [
        ("set\tSET\tserial\tSET *p\t0\t0\t8\tp", "line 4: the offsets do not go with the build"),
        ("set\tSET\tboth\tSET *p\t40\t0\t8\tp", "line 4: offset 40 lies outside SET"),
        ("set\tSET\tboth\tint p[3]\t0\t0\t8\tp", "SET.p: size 8 in the table, 12 by its declaration"),
        (
            "set\tSET\tboth\tint p\t0\t0\t4\tp\nset\tSET\tboth\tint q\t4\t2\t4\tq",
            "line 5: offset 2 lies in the field before",
        ),
        ("set\tSET\tboth\tSET p\t0\t0\t8\tp", "SET.p: SET cannot be held by value"),
    ];
    for (rows, reason) in refused {
        assert_eq!(refusal(rows), format!("layout.tsv: {reason}"));
    }
}

#[test]
fn enumerators_need_values_and_names_of_their_own() {
    let refusal = |row: &str| Table::parse(HEAD, &format!("{ENUMERATION}{row}")).err().expect(row);
    assert_eq!(
        refusal("kind\tKIND\tboth\tTWO\ttwo\ttwo"),
        "enumerations.tsv: line 3: `two` is no value of an enumerator"
    );
    assert_eq!(refusal("kind\tKIND\tboth\tONE\t2\ttwo"), "enumerations.tsv: line 3: second enumerator ONE");
    assert_eq!(
        refusal("other\t-\tboth\tTWO\t2\ttwo"),
        "enumerations.tsv: line 3: an enumerator of other outside its enumeration"
    );
}
