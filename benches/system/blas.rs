//! Dense products by OpenBLAS, in one thread: what NumPy calls.

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;

const LIBRARIES: [&CStr; 2] = [c"libopenblas.so.0", c"libopenblas.so"];

const COLUMN_MAJOR: c_int = 102;
/// Not transposed, and transposed.
const PLAIN: c_int = 111;
const TRANSPOSED: c_int = 112;

/// cblas_dgemm.
#[rustfmt::skip]
type Product = unsafe extern "C" fn(
    c_int, c_int, c_int, c_int, c_int, c_int, f64, *const f64, c_int, *const f64, c_int, f64, *mut f64, c_int,
);

/// The library.
pub struct Blas {
    product: Product,
}

impl Blas {
    /// Load it.
    ///
    /// # Errors
    /// If it is not there.
    pub fn load() -> Result<Self, String> {
        // SAFETY: the name is a C string, and OpenBLAS may be loaded at any time.
        let open = |name: &&CStr| unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        let library = LIBRARIES.iter().map(open).find(|library| !library.is_null());
        let library = library.ok_or("libopenblas is missing: Debian's libopenblas0 has it")?;
        let symbol = |name: &CStr| -> Result<*mut c_void, String> {
            // SAFETY: the library is loaded, and the name is a C string.
            let symbol = unsafe { libc::dlsym(library, name.as_ptr()) };
            if symbol.is_null() {
                Err(format!("libopenblas has no {}", name.to_string_lossy()))
            } else {
                Ok(symbol)
            }
        };
        // SAFETY: this is the type that OpenBLAS declares, with int for blasint.
        let product = unsafe { transmute::<*mut c_void, Product>(symbol(c"cblas_dgemm")?) };
        Ok(Self { product })
    }

    /// Write step J M⁻¹ Jᵀ of a J of `rows` rows and a symmetric M⁻¹ of `dofs`, column-major; `half` has room for J M⁻¹.
    pub fn delassus(
        &self,
        step: f64,
        [rows, dofs]: [usize; 2],
        j: &[f64],
        inverse: &[f64],
        half: &mut [f64],
        w: &mut [f64],
    ) {
        assert!(j.len() == rows * dofs && half.len() == j.len());
        assert!(inverse.len() == dofs * dofs && w.len() == rows * rows);
        let (m, n) = (rows as c_int, dofs as c_int);
        // SAFETY: the matrices have the sizes that are given, which has been checked.
        unsafe {
            let (j, inverse) = (j.as_ptr(), inverse.as_ptr());
            (self.product)(
                COLUMN_MAJOR,
                PLAIN,
                PLAIN,
                m,
                n,
                n,
                step,
                j,
                m,
                inverse,
                n,
                0.0,
                half.as_mut_ptr(),
                m,
            );
            let half = half.as_ptr();
            (self.product)(
                COLUMN_MAJOR,
                PLAIN,
                TRANSPOSED,
                m,
                m,
                n,
                1.0,
                half,
                m,
                j,
                m,
                0.0,
                w.as_mut_ptr(),
                m,
            );
        }
    }
}
