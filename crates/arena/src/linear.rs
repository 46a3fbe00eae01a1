//! The little linear algebra that ratings need.

/// The inverse of a symmetric matrix without negative eigenvalues that has one, by Gauss and Jordan; such a matrix
/// needs no pivots.
pub(crate) fn invert(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for pivot in 0..size {
        let inverse = 1.0 / matrix[pivot][pivot];
        matrix[pivot][pivot] = 1.0;
        matrix[pivot].iter_mut().for_each(|entry| *entry *= inverse);
        let pivots = matrix[pivot].clone();
        for row in (0..size).filter(|&row| row != pivot) {
            let factor = std::mem::take(&mut matrix[row][pivot]);
            for (entry, above) in matrix[row].iter_mut().zip(&pivots) {
                *entry -= factor * above;
            }
        }
    }
    matrix
}

/// The product of two square matrices of one size.
pub(crate) fn product(left: &[Vec<f64>], right: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let column = |row: &[f64], j: usize| row.iter().zip(right).map(|(a, b)| a * b[j]).sum();
    left.iter().map(|row| (0..right.len()).map(|j| column(row, j)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix = vec![vec![4.0, 1.0, -2.0], vec![1.0, 3.0, 0.5], vec![-2.0, 0.5, 5.0]];
        let inverse = invert(matrix.clone());
        for (i, row) in product(&matrix, &inverse).into_iter().enumerate() {
            for (j, entry) in row.into_iter().enumerate() {
                assert!((entry - f64::from(u8::from(i == j))).abs() < 1e-12, "{i} {j}: {entry}");
            }
        }
        assert!(invert(Vec::new()).is_empty());
    }
}
