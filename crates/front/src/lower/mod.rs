//! Lowering: an LLVM module becomes a [`Program`](verdiff_model::Program).
//!
//! The meaning is that of the instructions clang emits at -O0; docs/internals/semantics.md
//! says which choices are made where LLVM leaves one. A function with anything that the
//! model cannot express is left without a body, and says what and where; nothing is guessed.
//!
//! | file | what it lowers |
//! |---|---|
//! | `module` | names, signatures, globals |
//! | `constant` | constants, initialisers |
//! | `ctypes` | debug types |
//! | `function` | the frame of a function: parameters, blocks, edges |
//! | `promote` | which local is a variable and which an object |
//! | `values` | which value is folded into its use and which gets a name |
//! | `instruction` | instructions |
//! | `memory` | loads, stores, addresses, atomics |
//! | `vector` | vectors and first-class structs, lane by lane |
//! | `call` | calls |
//! | `variadic` | variadic functions: where their further arguments are |
//! | `intrinsic` | LLVM's intrinsics |
//! | `access` | the C type behind an address |
//! | `literals` | names for compound literals outside of functions |
//! | `opaque` | what is known of functions that cannot be lowered |
//! | `holes` | all of such a function but what cannot be lowered |
//! | `init` | where a variable may be read before it has a value |

mod access;
mod build;
mod call;
mod constant;
mod ctypes;
mod function;
mod holes;
mod init;
mod instruction;
mod intrinsic;
mod labels;
mod literals;
mod memory;
mod module;
mod opaque;
mod promote;
mod temporaries;
mod variadic;
mod vector;

pub use module::{Symbols, lane_offsets, lower_with_symbols};
pub use variadic::{FLOATING, FLOATING_AT, GENERAL, REGISTERS, Taken};
