//! The page of an evaluation: figures, matrix, disagreements, in one file with nothing to fetch.

use super::RenderError;
use serde_json::Value;
use tera::{Context, Tera};

/// The page, from a map of its parts: `judge`, `texts`, `headline`, `cost`, `matrix`, `gates`, `criteria`,
/// `wrong`, `compared`. Every value is escaped.
///
/// # Errors
/// A template that does not fit its context.
pub fn evaluation_page(parts: &Value) -> Result<String, RenderError> {
    let failed = |error: tera::Error| RenderError::Template(error.to_string());
    let mut tera = Tera::default();
    tera.add_raw_template("report.html", include_str!("../../templates/eval/report.html")).map_err(failed)?;
    let context = Context::from_serialize(parts).map_err(failed)?;
    tera.render("report.html", &context).map_err(failed)
}
