//! Curves of the run.

use crate::record::{Line, Record};
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

const SIZE: (u32, u32) = (900, 420);
const BLUE: RGBColor = RGBColor(0x1f, 0x5f, 0x99);
const ORANGE: RGBColor = RGBColor(0xd9, 0x72, 0x1a);
const GREY: RGBColor = RGBColor(0x44, 0x44, 0x44);

type Curve<'a> = (&'a str, RGBColor, &'a dyn Fn(&Line) -> f64);

pub fn energies(record: &Record, path: &Path) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    chart(
        &area,
        record,
        "Energy, kJ",
        &[
            ("total", GREY, &|line| (line.kinetic + line.potential) / 1000.0),
            ("kinetic", BLUE, &|line| line.kinetic / 1000.0),
            ("potential, above the beginning", ORANGE, &|line| line.potential / 1000.0),
        ],
    )?;
    Ok(area.present()?)
}

pub fn contacts(record: &Record, path: &Path) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(path, (SIZE.0, 3 * SIZE.1)).into_drawing_area();
    area.fill(&WHITE)?;
    let panels = area.split_evenly((3, 1));
    chart(
        &panels[0],
        record,
        "Contacts",
        &[
            ("candidates", GREY, &|line| line.contacts as f64),
            ("active: with a force", BLUE, &|line| line.loaded as f64),
        ],
    )?;
    chart(&panels[1], record, "Sweeps of the solver", &[("", BLUE, &|line| line.sweeps as f64)])?;
    chart(&panels[2], record, "Deepest penetration, mm", &[("", BLUE, &|line| 1000.0 * line.penetration)])?;
    Ok(area.present()?)
}

fn chart<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    record: &Record,
    title: &str,
    curves: &[Curve],
) -> Result<(), Box<dyn Error>>
where
    DB::ErrorType: 'static,
{
    // The state before the first step has no contacts.
    let lines = &record.lines[1..];
    let end = lines.last().map_or(1.0, |line| line.time);
    let values = || curves.iter().flat_map(|curve| lines.iter().map(curve.2));
    let (least, most) = values().fold((0.0_f64, 0.0_f64), |(a, b), value| (a.min(value), b.max(value)));
    let margin = 0.05 * (most - least).max(f64::MIN_POSITIVE);
    let low = if least < 0.0 { least - margin } else { 0.0 };
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 22))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..end, low..most + margin)?;
    chart
        .configure_mesh()
        .x_desc("time, s")
        .y_label_formatter(&|value| ((value * 1e6).round() / 1e6).to_string())
        .x_label_formatter(&|value| ((value * 1e6).round() / 1e6).to_string())
        .label_style(("sans-serif", 16))
        .axis_desc_style(("sans-serif", 16))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    for (label, color, value) in curves {
        let points = lines.iter().map(|line| (line.time, value(line)));
        let drawn = chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
        if !label.is_empty() {
            let color = *color;
            drawn
                .label(*label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], color.stroke_width(3)));
        }
    }
    if curves.iter().any(|curve| !curve.0.is_empty()) {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .margin(16)
            .legend_area_size(36)
            .label_font(("sans-serif", 16))
            .background_style(WHITE.mix(0.9))
            .border_style(BLACK.mix(0.2))
            .draw()?;
    }
    Ok(())
}
