//! A checker for the part of JSON Schema (2020-12) that `docs/schemas/` uses. It is stricter than the standard: a field
//! that a schema does not describe is a mistake. A keyword that it does not know stops the test.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The schemas of a folder.
pub(crate) struct Schemas(BTreeMap<String, Value>);

/// Keywords that say nothing about the value.
const REMARKS: [&str; 5] = ["$schema", "$id", "$defs", "title", "description"];

impl Schemas {
    pub(crate) fn read(folder: &Path) -> Schemas {
        let mut schemas = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_string();
            let schema: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            assert_eq!(schema["$id"], format!("{name}.json"));
            schemas.insert(name, schema);
        }
        Schemas(schemas)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Checks a value, and adds the fields that it has to `used`.
    pub(crate) fn check(&self, name: &str, value: &Value, used: &mut BTreeSet<String>) -> Result<(), String> {
        self.validate(name, &self.0[name], value, "", "", used)
    }

    /// All fields that a schema describes in its own file, each as the path of names that leads there.
    pub(crate) fn fields(&self, name: &str) -> BTreeSet<String> {
        let mut fields = BTreeSet::new();
        self.collect(name, &self.0[name], "", &mut fields);
        fields
    }

    fn collect(&self, file: &str, schema: &Value, path: &str, fields: &mut BTreeSet<String>) {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let (file, target) = self.resolve(file, reference);
            self.collect(&file, target, path, fields);
        }
        for part in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            self.collect(file, part, path, fields);
        }
        if let Some(items) = schema.get("items") {
            self.collect(file, items, path, fields);
        }
        for (key, part) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let path = format!("{path}/{key}");
            self.collect(file, part, &path, fields);
            fields.insert(path);
        }
    }

    /// What a reference leads to, and the file that it is in.
    fn resolve(&self, file: &str, reference: &str) -> (String, &Value) {
        let (other, pointer) = reference.split_once('#').unwrap();
        let name = if other.is_empty() { file } else { other.strip_suffix(".json").unwrap() };
        let target = self.0[name].pointer(pointer);
        (name.to_string(), target.unwrap_or_else(|| panic!("{file}.json: {reference} leads nowhere")))
    }

    /// `at` is where the value is, with the numbers of list entries; `path` is the same without them.
    fn validate(
        &self,
        file: &str,
        schema: &Value,
        value: &Value,
        at: &str,
        path: &str,
        used: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        let schema = schema.as_object().unwrap_or_else(|| panic!("{file}.json: {schema} is no schema"));
        let fits = |fits: bool, what: &str| {
            if fits { Ok(()) } else { Err(format!("{at}: {value} is {what}")) }
        };
        for (keyword, rule) in schema {
            let number = |n: &Value| n.as_f64().unwrap();
            match keyword.as_str() {
                "$ref" => {
                    let (file, target) = self.resolve(file, rule.as_str().unwrap());
                    self.validate(&file, target, value, at, path, used)?;
                }
                "type" => {
                    let types = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                    let right = types.iter().any(|name| is_of(value, name.as_str().unwrap()));
                    fits(right, &format!("no {}", types[0].as_str().unwrap()))?;
                }
                "enum" => fits(rule.as_array().unwrap().contains(value), &format!("not in {rule}"))?,
                "anyOf" => {
                    let parts = rule.as_array().unwrap();
                    let right =
                        parts.iter().any(|part| self.validate(file, part, value, at, path, used).is_ok());
                    fits(right, "none of what it may be")?;
                }
                "properties" => {}
                "required" => {
                    for key in rule.as_array().unwrap() {
                        let key = key.as_str().unwrap();
                        fits(value.as_object().is_none_or(|object| object.contains_key(key)), "")
                            .map_err(|_| format!("{at}: \"{key}\" is missing"))?;
                    }
                }
                "additionalProperties" => {
                    for (key, value) in value.as_object().into_iter().flatten() {
                        self.validate(file, rule, value, &format!("{at}/{key}"), path, used)?;
                    }
                }
                "items" => {
                    for (n, entry) in value.as_array().into_iter().flatten().enumerate() {
                        self.validate(file, rule, entry, &format!("{at}/{n}"), path, used)?;
                    }
                }
                "minItems" => fits(length(value).is_none_or(|n| n as f64 >= number(rule)), "too short")?,
                "maxItems" => fits(length(value).is_none_or(|n| n as f64 <= number(rule)), "too long")?,
                "minLength" => {
                    let letters = value.as_str().map(|text| text.chars().count());
                    fits(letters.is_none_or(|n| n as f64 >= number(rule)), "too short")?;
                }
                "minimum" => fits(value.as_f64().is_none_or(|n| n >= number(rule)), "too small")?,
                "maximum" => fits(value.as_f64().is_none_or(|n| n <= number(rule)), "too large")?,
                "multipleOf" => {
                    fits(value.as_f64().is_none_or(|n| (n / number(rule)).fract() == 0.0), "between steps")?;
                }
                // The one pattern that is used.
                "pattern" => {
                    assert_eq!(rule, "^[0-9a-f]{16}$", "{file}.json");
                    let hash = |text: &str| {
                        text.len() == 16 && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
                    };
                    fits(value.as_str().is_none_or(hash), "no hash")?;
                }
                remark => {
                    assert!(REMARKS.contains(&remark), "{file}.json: the keyword {remark} is not known")
                }
            }
        }
        let Some(object) = value.as_object() else { return Ok(()) };
        let none = Map::new();
        let known = schema.get("properties").map_or(&none, |known| known.as_object().unwrap());
        let open = schema.contains_key("additionalProperties") || !schema.contains_key("properties");
        for (key, value) in object {
            let Some(part) = known.get(key) else {
                fits(open, "").map_err(|_| format!("{at}: \"{key}\" is not described"))?;
                continue;
            };
            let path = format!("{path}/{key}");
            self.validate(file, part, value, &format!("{at}/{key}"), &path, used)?;
            used.insert(path);
        }
        Ok(())
    }
}

fn length(value: &Value) -> Option<usize> {
    value.as_array().map(Vec::len)
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("there is no type {other}"),
    }
}
