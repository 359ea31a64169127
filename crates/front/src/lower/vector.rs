//! Vectors and first-class structs, lane by lane.
//!
//! The model has scalars only: a vector or struct in a register is the list of its
//! scalars in order. Taking apart and putting together is then a matter of positions.

use super::build;
use super::function::FunctionLowering;
use super::module::Lowered;
use crate::llvm::{Ty, TyKind, Value};
use llvm_sys::LLVMOpcode::*;
use verdiff_model::{BinaryOp, Const, Expr, Type, UnaryOp};

impl<'m> FunctionLowering<'_, 'm> {
    /// `extractvalue`, `insertvalue`, `extractelement`, `insertelement`, `shufflevector`.
    pub fn rearrange(&mut self, inst: Value<'m>) -> Lowered<Vec<Expr>> {
        match inst.opcode() {
            LLVMExtractValue => {
                let (start, len) = self.lane_range(inst.operand(0).ty(), &inst.indices())?;
                let lanes = self.lanes(inst.operand(0))?;
                Ok(lanes[start..start + len].to_vec())
            }
            LLVMInsertValue => {
                let (start, len) = self.lane_range(inst.ty(), &inst.indices())?;
                let mut lanes = self.lanes(inst.operand(0))?;
                let part = self.lanes(inst.operand(1))?;
                lanes.splice(start..start + len, part);
                Ok(lanes)
            }
            LLVMExtractElement => {
                let lanes = self.lanes(inst.operand(0))?;
                let index = self.lane_index(inst.operand(1))?;
                match index.as_const() {
                    Some(c) if (c.bits as usize) < lanes.len() => {
                        Ok(vec![lanes[c.bits as usize].clone()])
                    }
                    // Out of range is poison: any value will do.
                    Some(_) => Ok(vec![Expr::Const(Const::new(self.proc.type_of(&lanes[0]), 0))]),
                    None => Ok(vec![self.pick(index, lanes)]),
                }
            }
            LLVMInsertElement => {
                let mut lanes = self.lanes(inst.operand(0))?;
                let value = self.scalar(inst.operand(1))?;
                let index = self.lane_index(inst.operand(2))?;
                match index.as_const() {
                    Some(c) => {
                        if let Some(lane) = lanes.get_mut(c.bits as usize) {
                            *lane = value;
                        }
                    }
                    None => {
                        let (index, value) = (self.atom(index), self.atom(value));
                        for (number, lane) in lanes.iter_mut().enumerate() {
                            let here = is_lane(&index, number);
                            *lane = Expr::select(here, value.clone(), lane.clone());
                        }
                    }
                }
                Ok(lanes)
            }
            _ => {
                let mut lanes = self.lanes(inst.operand(0))?;
                lanes.extend(self.lanes(inst.operand(1))?);
                let lanes: Vec<Expr> = lanes.into_iter().map(|l| self.atom(l)).collect();
                let zero = Const::new(self.proc.type_of(&lanes[0]), 0);
                Ok(inst
                    .shuffle_mask()
                    .into_iter()
                    .map(|m| m.map_or(Expr::Const(zero), |m| lanes[m as usize].clone()))
                    .collect())
            }
        }
    }

    /// The index operand of a lane access as 64 bits.
    fn lane_index(&mut self, index: Value<'m>) -> Lowered<Expr> {
        let ty = super::module::scalar(index.ty())?;
        let index = self.scalar(index)?;
        Ok(build::resize(index, ty, Type::WORD, false))
    }

    /// The lane with a computed number.
    fn pick(&mut self, index: Expr, lanes: Vec<Expr>) -> Expr {
        let index = self.atom(index);
        let mut lanes = lanes.into_iter().enumerate();
        let first = lanes.next().map_or(Expr::int(1, 0), |(_, l)| l);
        lanes.fold(first, |rest, (number, lane)| Expr::select(is_lane(&index, number), lane, rest))
    }

    /// Which lanes a path of indices covers: start and length.
    fn lane_range(&self, ty: Ty<'m>, path: &[u32]) -> Lowered<(usize, usize)> {
        let mut ty = ty;
        let mut start = 0;
        for index in path {
            match ty.kind() {
                TyKind::Struct(fields) => {
                    for field in &fields[..*index as usize] {
                        start += self.m.lane_types(*field)?.len();
                    }
                    ty = fields[*index as usize];
                }
                TyKind::Array(element, _) | TyKind::Vector(element, _) => {
                    start += self.m.lane_types(element)?.len() * *index as usize;
                    ty = element;
                }
                _ => return Err(format!("a part of {}", ty.text())),
            }
        }
        Ok((start, self.m.lane_types(ty)?.len()))
    }

    /// The bits of some lanes, cut up anew: little endian, the first lane lowest.
    pub fn reslice(&mut self, lanes: Vec<Expr>, from: &[Type], to: &[Type]) -> Lowered<Vec<Expr>> {
        // Each source lane may be needed several times.
        let mut pieces = Vec::new();
        let mut at = 0u32;
        for (lane, ty) in lanes.into_iter().zip(from) {
            let lane = self.atom(lane);
            pieces.push((at, u32::from(ty.width()), build::to_bits(lane, *ty)));
            at += u32::from(ty.width());
        }
        let mut out = Vec::new();
        let mut start = 0u32;
        for ty in to {
            let width = u32::from(ty.width());
            let bits_ty = Type::Int(ty.width());
            let mut bits: Option<Expr> = None;
            for (piece_at, piece_width, piece) in &pieces {
                let (low, high) =
                    ((*piece_at).max(start), (piece_at + piece_width).min(start + width));
                if low >= high {
                    continue;
                }
                // Bits low..high of the whole: moved down within the piece, then up in the lane.
                let piece_ty = Type::Int(*piece_width as u16);
                let mut part = piece.clone();
                if low > *piece_at {
                    let by = Expr::int(piece_ty.width(), (low - piece_at).into());
                    part = build::binary(BinaryOp::LShr, part, by);
                }
                if *piece_width > width {
                    part = build::unary(UnaryOp::Truncate, bits_ty, part);
                } else if *piece_width < width {
                    part = build::unary(UnaryOp::ZeroExtend, bits_ty, part);
                }
                if low > start {
                    part = build::binary(
                        BinaryOp::Shl,
                        part,
                        Expr::int(ty.width(), (low - start).into()),
                    );
                }
                bits = Some(match bits {
                    None => part,
                    Some(rest) => build::binary(BinaryOp::Or, rest, part),
                });
            }
            let bits = bits.ok_or("a cast between types of different sizes")?;
            out.push(build::from_bits(bits, *ty));
            start += width;
        }
        Ok(out)
    }
}

fn is_lane(index: &Expr, number: usize) -> Expr {
    build::binary(BinaryOp::Eq, index.clone(), Expr::int(64, number as u128))
}
