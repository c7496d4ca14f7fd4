//! The least and the greatest values of an integer and of a clock, against those that the naive reading has seen.

use std::sync::Arc;

use engine::{Quiet, Stop};
use thetis::extremes::{Extremum, Found};
use thetis::{Check, Model};

use crate::naive::{End, Extent};

/// How many values were compared, and how many were left open.
#[derive(Debug, Default)]
pub struct Compared {
    pub values: usize,
    pub approached: usize,
    pub far: usize,
    pub nowhere: usize,
    pub open: usize,
}

/// Asks for the values of something that never goes wrong, and compares them.
pub fn agree(text: &str, extent: &Extent, check: &Check, compared: &mut Compared) -> Result<(), String> {
    let mut model = Model::from_text("m.xta", text).map_err(|why| format!("{why:?}"))?;
    let query = format!("bounds{}", extent.asked);
    let question = model.ask(&query).map_err(|why| format!("{query}: {why:?}"))?;
    let stop = Arc::new(Stop::new());
    let measured =
        model.extremes(&question, check, &stop, &mut Quiet).map_err(|why| format!("{query}: {why:?}"))?;
    let [measured] = &measured[..] else { return Err(format!("{query}: not one answer")) };
    for (found, expected) in [(&measured.least, extent.least), (&measured.greatest, extent.greatest)] {
        let found = found.as_ref().ok_or_else(|| format!("{query}: an extreme is missing"))?;
        compared.count(found, expected).map_err(|why| format!("{query}: {why}"))?;
    }
    Ok(())
}

impl Compared {
    fn count(&mut self, found: &Found, expected: End) -> Result<(), String> {
        let right = match (found.extremum, expected) {
            (Extremum::Open(_), _) => {
                self.open += 1;
                return Ok(());
            }
            (Extremum::Unbounded, End::Far) | (Extremum::Nowhere, End::Nowhere) => true,
            (Extremum::Attained(value) | Extremum::Approached(value), End::Far) => value >= crate::naive::CAP,
            (Extremum::Attained(value), End::At(known)) => value == known,
            (Extremum::Approached(value), End::Before(known)) => value == known,
            _ => false,
        };
        if !right {
            return Err(format!("{:?}, but it is {expected:?}", found.extremum));
        }
        if !found.is_certified() {
            return Err(format!("{:?} is not certified", found.extremum));
        }
        *match expected {
            End::At(_) => &mut self.values,
            End::Before(_) => &mut self.approached,
            End::Far => &mut self.far,
            End::Nowhere => &mut self.nowhere,
        } += 1;
        Ok(())
    }
}
