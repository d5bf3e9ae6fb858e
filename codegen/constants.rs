//! Constants of C: groups of `#define`s become enumerations.

/// The beginnings of the names of constants that belong together, and the name of their enumeration.
const GROUPS: [(&str, &str); 15] = [
    ("LDY_ERROR_", "ldy_error_code"),
    ("LDY_VELOCITY_", "ldy_velocity_kind"),
    ("LDY_OPTION_", "ldy_system_option_kind"),
    ("LDY_INERTIA_", "ldy_inertia_kind"),
    ("LDY_BODY_", "ldy_body_kind"),
    ("LDY_MULTIPLY_", "ldy_multiply_flags"),
    ("LDY_FILE_FORMAT_", "ldy_file_format"),
    ("LDY_JOINT_", "ldy_joint_kind"),
    ("LDY_CRITICAL_STEP_", "ldy_critical_step_flags"),
    ("LDY_LAW_", "ldy_law_kind"),
    ("LDY_MEASURE_", "ldy_measure"),
    ("LDY_METHOD_", "ldy_method"),
    ("LDY_STATUS_", "ldy_status"),
    ("LDY_AXIS_", "ldy_axis"),
    ("LDY_AXES_", "ldy_axes_kind"),
];

/// A comment with the `#define` after it.
struct Constant<'a> {
    comment: &'a str,
    name: &'a str,
    value: &'a str,
}

/// The text with an enumeration in place of the constants of each group, and with negative constants in parentheses.
pub fn with_enumerations(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut group: Vec<Constant> = Vec::new();
    for paragraph in text.split("\n\n") {
        let constant = constant(paragraph);
        let tag = constant.as_ref().and_then(|constant| tag(constant.name));
        if group.first().is_some_and(|first| self::tag(first.name) != tag) {
            out.push(enumeration(&std::mem::take(&mut group)));
        }
        match constant {
            Some(constant) if tag.is_some() => group.push(constant),
            Some(Constant { comment, name, value }) => {
                let value = if value.starts_with('-') { format!("({value})") } else { value.to_string() };
                out.push(format!("{comment}\n#define {name} {value}"));
            }
            None => out.push(paragraph.to_string()),
        }
    }
    if !group.is_empty() {
        out.push(enumeration(&group));
    }
    out.join("\n\n")
}

fn tag(name: &str) -> Option<&'static str> {
    GROUPS.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, tag)| *tag)
}

fn constant(paragraph: &str) -> Option<Constant<'_>> {
    let (comment, define) = paragraph.trim().rsplit_once("\n#define ")?;
    let (name, value) = define.split_once(' ')?;
    let is_one = !value.contains('\n') && comment.starts_with("/*") && comment.matches("/*").count() == 1;
    is_one.then_some(Constant { comment, name, value })
}

fn enumeration(group: &[Constant]) -> String {
    let tag = group.first().and_then(|first| tag(first.name)).expect("constants of a group");
    let entries = group.iter().map(|Constant { comment, name, value }| {
        let comment: Vec<String> = comment.lines().map(|line| format!("  {line}")).collect();
        format!("{}\n  {name} = {value}", comment.join("\n"))
    });
    format!("enum {tag} {{\n{}\n}};", entries.collect::<Vec<_>>().join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_a_group_become_an_enumeration() {
        let text = "/* A. */\n#define LDY_LAW_NONE 0\n\n/* B\n   two. */\n#define LDY_LAW_FIXED 2\n\n/* G. */\n#define LDY_GROUND -1\n\nint f(void);\n\n/* C. */\n#define LDY_STATUS_STALLED 3";
        let expected = "enum ldy_law_kind {\n  /* A. */\n  LDY_LAW_NONE = 0,\n  /* B\n     two. */\n  LDY_LAW_FIXED = 2\n};\n\n/* G. */\n#define LDY_GROUND (-1)\n\nint f(void);\n\nenum ldy_status {\n  /* C. */\n  LDY_STATUS_STALLED = 3\n};";
        assert_eq!(with_enumerations(text), expected);
    }
}
