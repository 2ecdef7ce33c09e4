//! Weighted least squares.

/// One weighted linear equation: coefficients of the unknowns, right-hand side, and weight.
pub(super) struct Row {
    pub factors: Vec<f64>,
    pub sum: f64,
    pub weight: f64,
}

/// Returns the unknowns that solve the weighted linear equations `rows` by least squares.
///
/// The columns of the equations are made orthogonal (Gram-Schmidt). A larger `damping` keeps the unknowns closer to 0.
pub(super) fn solve(rows: &[Row], damping: f64) -> Vec<f64> {
    let many = rows.first().map_or(0, |row| row.factors.len());
    let roots: Vec<f64> = rows.iter().map(|row| row.weight.sqrt()).collect();
    let column = |k: usize| -> Vec<f64> {
        let rows = rows.iter().zip(&roots).map(|(row, root)| root * row.factors[k]);
        rows.collect()
    };
    let mut columns: Vec<Vec<f64>> = (0..many).map(column).collect();
    let sizes: Vec<f64> = columns.iter().map(|c| dot(c, c).sqrt().max(1e-300)).collect();
    for (k, (column, size)) in columns.iter_mut().zip(&sizes).enumerate() {
        column.iter_mut().for_each(|v| *v /= size);
        column.extend((0..many).map(|j| if j == k { damping } else { 0.0 }));
    }
    let mut sums: Vec<f64> = rows.iter().zip(&roots).map(|(row, root)| root * row.sum).collect();
    sums.extend(vec![0.0; many]);

    // `mix[k][j]` is the share of column `k` in column `j`.
    let mut mix = vec![vec![0.0; many]; many];
    let mut shares = vec![0.0; many];
    for k in 0..many {
        let own = columns[k].clone();
        let size = dot(&own, &own);
        // A column that depends on the others adds nothing.
        if size < 1e-28 {
            continue;
        }
        let clear = |column: &mut Vec<f64>| {
            let share = dot(&own, column) / size;
            column.iter_mut().zip(&own).for_each(|(v, own)| *v -= share * own);
            share
        };
        for j in k + 1..many {
            mix[k][j] = clear(&mut columns[j]);
        }
        shares[k] = clear(&mut sums);
    }
    let mut unknowns = vec![0.0; many];
    for k in (0..many).rev() {
        let later: f64 = (k + 1..many).map(|j| mix[k][j] * unknowns[j]).sum();
        unknowns[k] = shares[k] - later;
    }
    unknowns.iter().zip(&sizes).map(|(x, size)| x / size).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
