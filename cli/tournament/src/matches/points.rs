//! Game points, halves included.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Add, AddAssign};

/// Game points, counted in halves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Points(u32);

impl Points {
    /// Half a point.
    pub const HALF: Points = Points(1);
    /// One point.
    pub const ONE: Points = Points(2);
    /// Two points.
    pub const TWO: Points = Points(4);

    /// Half of the points, rounded down to half points.
    #[must_use]
    pub const fn half(self) -> Points {
        Points(self.0 / 2)
    }

    /// The points as a number.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 2.0
    }
}

impl Add for Points {
    type Output = Points;

    fn add(self, other: Points) -> Points {
        Points(self.0 + other.0)
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Points) {
        self.0 += other.0;
    }
}

/// As people write them: `1½`.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match (self.0 / 2, self.0 % 2) {
            (0, 1) => "½".to_string(),
            (whole, 0) => whole.to_string(),
            (whole, _) => format!("{whole}½"),
        })
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Points, D::Error> {
        let halves = 2.0 * f64::deserialize(deserializer)?;
        if !(0.0..=1e6).contains(&halves) || halves.fract() != 0.0 {
            return Err(D::Error::custom("points are whole or half numbers"));
        }
        Ok(Points(halves as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_as_people_write_them() {
        assert_eq!(Points::default().to_string(), "0");
        assert_eq!((Points::ONE + Points::HALF).to_string(), "1½");
        assert_eq!(serde_json::to_string(&[Points::HALF, Points::TWO]).unwrap(), "[0.5,2.0]");
    }
}
