//! From text to tree: the one file that knows the parser, which is `lang-c`.
//!
//! The parser knows C11 with the extensions of GNU, typedef names included, and stops at the first thing that is no C.
//! It descends without limits, so it sees only what the front desk ([`super::desk`]) has admitted, and whoever calls
//! this brings a large stack ([`super::with_stack`]).

use ir::Span;
use lang_c::ast as c;
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};
use lang_c::span::Node;

use super::ast::*;
use super::desk;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// Reads a file.
pub(super) fn unit(source: &str, diagnostics: &mut Diagnostics) -> Option<Unit> {
    let text = desk::admit(source, diagnostics);
    if !diagnostics.is_empty() {
        return None;
    }
    match parse(text) {
        Ok(unit) => Some(converted(unit, diagnostics)),
        Err(error) => {
            diagnostics.push(syntax_error(source, &error, 0));
            None
        }
    }
}

/// Reads an expression that stands alone.
pub(super) fn expression(source: &str, diagnostics: &mut Diagnostics) -> Option<Expr> {
    const FRONT: &str = "int q = (";
    if let Some(at) = escapes(source) {
        let message = "this is no expression of C; a condition has balanced brackets and no `;`";
        diagnostics.push(Diagnostic::error(Code::Syntax, Span::new(at, at + 1), message));
        return None;
    }
    let text = desk::admit(&format!("{FRONT}{source}\n);"), diagnostics);
    if !diagnostics.is_empty() {
        return None;
    }
    let unit = match parse(text) {
        Ok(unit) => unit,
        Err(error) => {
            diagnostics.push(syntax_error(source, &error, FRONT.len()));
            return None;
        }
    };
    let mut unit = converted(unit, diagnostics);
    let declarator = unit.declarations.pop()?.declarators.pop()?;
    match declarator.init? {
        Init::Expr(mut expr) => {
            shift(&mut expr, FRONT.len() as u32);
            Some(expr)
        }
        Init::List(..) => None,
    }
}

/// Where a text leaves the brackets that are put around it.
fn escapes(source: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_i64, None);
    let mut bytes = source.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (quote, byte) {
            (Some(_), b'\\') => drop(bytes.next()),
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[') => depth += 1,
            (None, b')' | b']') => depth -= 1,
            (None, b';' | b'{' | b'}' | b'#') => return Some(at),
            _ => {}
        }
        if depth < 0 {
            return Some(at);
        }
    }
    (depth > 0 || quote.is_some()).then(|| source.len().saturating_sub(1))
}

/// Makes places of the text around an expression those of the expression itself.
fn shift(expr: &mut Expr, by: u32) {
    let span = &mut expr.span;
    (span.start, span.end) = (span.start.saturating_sub(by), span.end.saturating_sub(by));
    let mut parts: Vec<&mut Expr> = vec![];
    match &mut expr.kind {
        ExprKind::Unary(_, a) | ExprKind::Step(_, _, a) | ExprKind::Cast(_, a) | ExprKind::SizeOf(a) => {
            parts.push(a);
        }
        ExprKind::Member(a, name, _) => {
            let span = &mut name.span;
            (span.start, span.end) = (span.start.saturating_sub(by), span.end.saturating_sub(by));
            parts.push(a);
        }
        ExprKind::Binary(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Index(a, b) => parts.extend([&mut **a, &mut **b]),
        ExprKind::Cond(a, b, c) => parts.extend([&mut **a, &mut **b, &mut **c]),
        ExprKind::Comma(list) => parts.extend(list),
        ExprKind::Call(callee, list) => {
            parts.push(callee);
            parts.extend(list);
        }
        _ => {}
    }
    for part in parts {
        ir::deep(|| shift(part, by));
    }
}

fn parse(text: String) -> Result<c::TranslationUnit, SyntaxError> {
    let config = Config { cpp_command: String::new(), cpp_options: vec![], flavor: Flavor::GnuC11 };
    parse_preprocessed(&config, text).map(|parse| parse.unit)
}

/// What the parser did not expect, and what it did if that is little.
fn syntax_error(source: &str, error: &SyntaxError, front: usize) -> Diagnostic {
    let mut at = error.offset.saturating_sub(front).min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    let rest = source[at..].trim_start();
    let start = source.len() - rest.len();
    let length = match rest.find(|c: char| !c.is_alphanumeric() && c != '_') {
        Some(0) => rest.chars().next().map_or(0, char::len_utf8),
        Some(length) => length,
        None => rest.len(),
    };
    let token = &rest[..length];
    let wanted = |text: &str| error.expected.iter().any(|known| known.trim_matches('"') == text);
    let found = if token.is_empty() { "the end of the text".to_owned() } else { format!("`{token}`") };
    let hint = if wanted(";") && !wanted("+") && !wanted("(") {
        "; is a `;` missing before it?"
    } else if token.is_empty() {
        "; a bracket may not be closed"
    } else {
        ""
    };
    let message = format!("{found} cannot stand here{hint}");
    Diagnostic::error(Code::Syntax, Span::new(start, start + length), message)
}

fn converted(unit: c::TranslationUnit, diagnostics: &mut Diagnostics) -> Unit {
    let mut reader = Reader { diagnostics };
    let mut out = Unit::default();
    for item in unit.0 {
        match item.node {
            c::ExternalDeclaration::Declaration(node) => {
                let declaration = reader.declaration(node);
                out.order.push(Item::Declaration(out.declarations.len()));
                out.declarations.push(declaration);
            }
            c::ExternalDeclaration::StaticAssert(_) => {}
            c::ExternalDeclaration::FunctionDefinition(node) => {
                if let Some(function) = reader.function(node) {
                    out.order.push(Item::Function(out.functions.len()));
                    out.functions.push(function);
                }
            }
        }
    }
    out
}

fn place<T>(node: &Node<T>) -> Span {
    match node.span.is_none() {
        true => Span::default(),
        false => Span::new(node.span.start, node.span.end),
    }
}

fn name(node: Node<c::Identifier>) -> Name {
    let span = place(&node);
    Name { text: node.node.name, span }
}

struct Reader<'a> {
    diagnostics: &'a mut Diagnostics,
}

/// What declaration specifiers say, in whatever order.
#[derive(Default)]
struct Specifiers {
    storage: Storage,
    volatile: bool,
    words: Vec<Word>,
    other: Option<BaseKind>,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Word {
    Void,
    Bool,
    Char,
    Short,
    Int,
    Long,
    Signed,
    Unsigned,
}

impl Specifiers {
    fn base(self, span: Span) -> (Storage, Base) {
        let has = |word| self.words.contains(&word);
        let longs = self.words.iter().filter(|word| **word == Word::Long).count();
        let unsigned = has(Word::Unsigned);
        let kind = match self.other {
            Some(kind) => kind,
            None if has(Word::Void) => BaseKind::Void,
            None => BaseKind::Int(if has(Word::Bool) {
                IntWord::Bool
            } else if has(Word::Char) {
                match (unsigned, has(Word::Signed)) {
                    (true, _) => IntWord::UnsignedChar,
                    (_, true) => IntWord::SignedChar,
                    _ => IntWord::Char,
                }
            } else if has(Word::Short) {
                if unsigned { IntWord::UnsignedShort } else { IntWord::Short }
            } else {
                match (longs, unsigned) {
                    (0, false) => IntWord::Int,
                    (0, true) => IntWord::UnsignedInt,
                    (1, false) => IntWord::Long,
                    (1, true) => IntWord::UnsignedLong,
                    (_, false) => IntWord::LongLong,
                    (_, true) => IntWord::UnsignedLongLong,
                }
            }),
        };
        (self.storage, Base { kind, volatile: self.volatile, span })
    }
}

impl Reader<'_> {
    fn declaration(&mut self, node: Node<c::Declaration>) -> Declaration {
        let span = place(&node);
        let (storage, base) = self.specifiers(node.node.specifiers, span);
        let mut declarators = vec![];
        for item in node.node.declarators {
            let at = place(&item);
            let (name, derived) = self.declarator(item.node.declarator);
            let init = item.node.initializer.map(|init| self.init(init));
            declarators.push(Declarator { name, derived, init, span: at });
        }
        Declaration { storage, base, declarators }
    }
    fn specifiers(&mut self, list: Vec<Node<c::DeclarationSpecifier>>, span: Span) -> (Storage, Base) {
        let mut all = Specifiers::default();
        for item in list {
            match item.node {
                c::DeclarationSpecifier::StorageClass(class) => {
                    all.storage = match class.node {
                        c::StorageClassSpecifier::Typedef => Storage::Typedef,
                        c::StorageClassSpecifier::Extern => Storage::Extern,
                        c::StorageClassSpecifier::Static => Storage::Static,
                        c::StorageClassSpecifier::ThreadLocal => Storage::ThreadLocal,
                        c::StorageClassSpecifier::Auto | c::StorageClassSpecifier::Register => all.storage,
                    };
                }
                c::DeclarationSpecifier::TypeSpecifier(node) => self.type_specifier(node, &mut all),
                c::DeclarationSpecifier::TypeQualifier(node) => {
                    all.volatile |= node.node == c::TypeQualifier::Volatile;
                }
                c::DeclarationSpecifier::Function(_)
                | c::DeclarationSpecifier::Alignment(_)
                | c::DeclarationSpecifier::Extension(_) => {}
            }
        }
        all.base(span)
    }
    fn qualified(&mut self, list: Vec<Node<c::SpecifierQualifier>>, span: Span) -> Base {
        let mut all = Specifiers::default();
        for item in list {
            match item.node {
                c::SpecifierQualifier::TypeSpecifier(node) => self.type_specifier(node, &mut all),
                c::SpecifierQualifier::TypeQualifier(node) => {
                    all.volatile |= node.node == c::TypeQualifier::Volatile;
                }
                c::SpecifierQualifier::Extension(_) => {}
            }
        }
        all.base(span).1
    }
    fn type_specifier(&mut self, node: Node<c::TypeSpecifier>, all: &mut Specifiers) {
        let word = match node.node {
            c::TypeSpecifier::Void => Word::Void,
            c::TypeSpecifier::Char => Word::Char,
            c::TypeSpecifier::Short => Word::Short,
            c::TypeSpecifier::Int => Word::Int,
            c::TypeSpecifier::Long => Word::Long,
            c::TypeSpecifier::Signed => Word::Signed,
            c::TypeSpecifier::Unsigned => Word::Unsigned,
            c::TypeSpecifier::Bool => Word::Bool,
            other => {
                let kind = match other {
                    c::TypeSpecifier::Float => BaseKind::Unsupported("float"),
                    c::TypeSpecifier::Double => BaseKind::Unsupported("double"),
                    c::TypeSpecifier::Complex => BaseKind::Unsupported("_Complex"),
                    c::TypeSpecifier::Atomic(_) => BaseKind::Unsupported("_Atomic"),
                    c::TypeSpecifier::TS18661Float(_) => BaseKind::Unsupported("_Float"),
                    c::TypeSpecifier::Struct(node) => self.record(node),
                    c::TypeSpecifier::Enum(node) => self.enumeration(node),
                    c::TypeSpecifier::TypedefName(node) => match &*node.node.name {
                        "__int128" => BaseKind::Unsupported("__int128"),
                        "__builtin_va_list" => BaseKind::Unsupported("va_list"),
                        _ => BaseKind::Named(node.node.name),
                    },
                    c::TypeSpecifier::TypeOf(node) => match node.node {
                        c::TypeOf::Expression(node) => BaseKind::TypeOf(Box::new(self.expr(node))),
                        c::TypeOf::Type(node) => BaseKind::TypeOfType(Box::new(self.type_name(node))),
                    },
                    _ => BaseKind::Unsupported("this type"),
                };
                all.other = Some(kind);
                return;
            }
        };
        all.words.push(word);
    }
    fn record(&mut self, node: Node<c::StructType>) -> BaseKind {
        let union = node.node.kind.node == c::StructKind::Union;
        let tag = node.node.identifier.map(|tag| tag.node.name);
        let fields = node.node.declarations.map(|list| {
            let mut fields = vec![];
            for item in list {
                let span = place(&item);
                let c::StructDeclaration::Field(field) = item.node else { continue };
                let base = self.qualified(field.node.specifiers, span);
                let mut declarators = vec![];
                for declarator in field.node.declarators {
                    let bits = declarator.node.bit_width.is_some();
                    let (name, derived) = match declarator.node.declarator {
                        Some(declarator) => self.declarator(declarator),
                        None => (None, vec![]),
                    };
                    declarators.push((name, derived, bits));
                }
                if declarators.is_empty() {
                    declarators.push((None, vec![], false));
                }
                fields.push(Field { base, declarators });
            }
            fields
        });
        BaseKind::Record { union, tag, fields }
    }
    fn enumeration(&mut self, node: Node<c::EnumType>) -> BaseKind {
        let tag = node.node.identifier.map(|tag| tag.node.name);
        let mut items = vec![];
        for item in node.node.enumerators {
            let value = item.node.expression.map(|value| self.expr(*value));
            items.push((name(item.node.identifier), value));
        }
        BaseKind::Enum { tag, items }
    }
    /// The name, and what is derived in the order of application.
    fn declarator(&mut self, node: Node<c::Declarator>) -> (Option<Name>, Vec<Derived>) {
        let mut list = vec![];
        let name = self.derive(node.node, &mut list);
        (name, list)
    }
    fn derive(&mut self, declarator: c::Declarator, list: &mut Vec<Derived>) -> Option<Name> {
        let mut behind = vec![];
        for derived in declarator.derived {
            match derived.node {
                c::DerivedDeclarator::Pointer(_) => list.push(Derived::Pointer),
                c::DerivedDeclarator::Block(_) => list.push(Derived::Unsupported("a block of Clang")),
                c::DerivedDeclarator::Array(array) => behind.push(Derived::Array(match array.node.size {
                    c::ArraySize::VariableExpression(size) | c::ArraySize::StaticExpression(size) => {
                        Some(Box::new(self.expr(*size)))
                    }
                    c::ArraySize::Unknown | c::ArraySize::VariableUnknown => None,
                })),
                c::DerivedDeclarator::Function(function) => {
                    let variadic = match function.node.ellipsis {
                        c::Ellipsis::Some => Variadic::Yes,
                        c::Ellipsis::None => Variadic::No,
                    };
                    let mut params = vec![];
                    for param in function.node.parameters {
                        let span = place(&param);
                        let (_, base) = self.specifiers(param.node.specifiers, span);
                        let (name, derived) = match param.node.declarator {
                            Some(declarator) => self.declarator(declarator),
                            None => (None, vec![]),
                        };
                        params.push(Param { base, name, derived });
                    }
                    behind.push(Derived::Function(params, variadic));
                }
                c::DerivedDeclarator::KRFunction(names) => {
                    behind.push(Derived::OldFunction(names.into_iter().map(name).collect()));
                }
            }
        }
        list.extend(behind.into_iter().rev());
        match declarator.kind.node {
            c::DeclaratorKind::Abstract => None,
            c::DeclaratorKind::Identifier(node) => Some(name(node)),
            c::DeclaratorKind::Declarator(inner) => self.derive(inner.node, list),
        }
    }
    fn function(&mut self, node: Node<c::FunctionDefinition>) -> Option<Function> {
        let span = place(&node);
        let (_, base) = self.specifiers(node.node.specifiers, span);
        let (name, derived) = self.declarator(node.node.declarator);
        let old_style = node.node.declarations.into_iter().map(|item| self.declaration(item)).collect();
        let body = self.stmt(node.node.statement);
        Some(Function { name: name?, base, derived, old_style, body })
    }
    fn type_name(&mut self, node: Node<c::TypeName>) -> TypeName {
        let span = place(&node);
        let base = self.qualified(node.node.specifiers, span);
        let derived = node.node.declarator.map_or(vec![], |declarator| self.declarator(declarator).1);
        TypeName { base, derived }
    }
    fn init(&mut self, node: Node<c::Initializer>) -> Init {
        match node.node {
            c::Initializer::Expression(expr) => Init::Expr(self.expr(*expr)),
            c::Initializer::List(list) => Init::List(self.init_items(list)),
        }
    }
    fn init_items(&mut self, list: Vec<Node<c::InitializerListItem>>) -> Vec<InitItem> {
        let mut items = vec![];
        for item in list {
            let mut designators = vec![];
            for designator in item.node.designation {
                designators.push(match designator.node {
                    c::Designator::Index(expr) => Designator::Index(self.expr(expr)),
                    c::Designator::Member(member) => Designator::Member(name(member)),
                    c::Designator::Range(range) => {
                        Designator::Range(self.expr(range.node.from), self.expr(range.node.to))
                    }
                });
            }
            let init = self.init(*item.node.initializer);
            items.push(InitItem { designators, init });
        }
        items
    }
    #[expect(clippy::boxed_local, reason = "the reader of C boxes its nodes")]
    fn boxed(&mut self, node: Box<Node<c::Expression>>) -> Box<Expr> {
        Box::new(self.expr(*node))
    }
    fn expr(&mut self, node: Node<c::Expression>) -> Expr {
        let span = place(&node);
        let kind = ir::deep(|| self.expr_kind(node.node, span));
        Expr { kind, span }
    }
    fn expr_kind(&mut self, expr: c::Expression, span: Span) -> ExprKind {
        match expr {
            c::Expression::Identifier(node) => ExprKind::Name(node.node.name),
            c::Expression::Constant(node) => self.constant(node.node, span),
            c::Expression::StringLiteral(node) => {
                let mut bytes = vec![];
                for part in node.node {
                    let inside = part.find('"').map_or("", |at| &part[at + 1..]);
                    let wide = !part.starts_with('"');
                    if wide {
                        return ExprKind::Unsupported("a string of wide characters");
                    }
                    bytes.extend(characters(inside.strip_suffix('"').unwrap_or(inside)).unwrap_or_default());
                }
                ExprKind::Text(bytes)
            }
            c::Expression::Member(node) => {
                let access = match node.node.operator.node {
                    c::MemberOperator::Direct => Access::Dot,
                    c::MemberOperator::Indirect => Access::Arrow,
                };
                ExprKind::Member(self.boxed(node.node.expression), name(node.node.identifier), access)
            }
            c::Expression::Call(node) => {
                let callee = self.boxed(node.node.callee);
                let arguments = node.node.arguments.into_iter().map(|argument| self.expr(argument)).collect();
                ExprKind::Call(callee, arguments)
            }
            c::Expression::CompoundLiteral(node) => {
                let ty = self.type_name(node.node.type_name);
                ExprKind::Compound(Box::new(ty), self.init_items(node.node.initializer_list))
            }
            c::Expression::SizeOfTy(node) => ExprKind::SizeOfType(Box::new(self.type_name(node.node.0))),
            c::Expression::SizeOfVal(node) => ExprKind::SizeOf(self.boxed(node.node.0)),
            c::Expression::AlignOf(node) => ExprKind::AlignOf(Box::new(self.type_name(*node.node.0))),
            c::Expression::UnaryOperator(node) => {
                let operand = self.boxed(node.node.operand);
                match node.node.operator.node {
                    c::UnaryOperator::PostIncrement => {
                        ExprKind::Step(StepOp::Increment, Fixity::Postfix, operand)
                    }
                    c::UnaryOperator::PostDecrement => {
                        ExprKind::Step(StepOp::Decrement, Fixity::Postfix, operand)
                    }
                    c::UnaryOperator::PreIncrement => {
                        ExprKind::Step(StepOp::Increment, Fixity::Prefix, operand)
                    }
                    c::UnaryOperator::PreDecrement => {
                        ExprKind::Step(StepOp::Decrement, Fixity::Prefix, operand)
                    }
                    c::UnaryOperator::Address => ExprKind::Unary(Unary::Address, operand),
                    c::UnaryOperator::Indirection => ExprKind::Unary(Unary::Deref, operand),
                    c::UnaryOperator::Plus => ExprKind::Unary(Unary::Plus, operand),
                    c::UnaryOperator::Minus => ExprKind::Unary(Unary::Minus, operand),
                    c::UnaryOperator::Complement => ExprKind::Unary(Unary::Complement, operand),
                    c::UnaryOperator::Negate => ExprKind::Unary(Unary::Not, operand),
                }
            }
            c::Expression::Cast(node) => {
                let ty = self.type_name(node.node.type_name);
                ExprKind::Cast(Box::new(ty), self.boxed(node.node.expression))
            }
            c::Expression::BinaryOperator(node) => {
                let (a, b) = (self.boxed(node.node.lhs), self.boxed(node.node.rhs));
                use c::BinaryOperator as Op;
                let plain = |op| (Some(op), false);
                let assign = |op| (Some(op), true);
                let (op, assigns) = match node.node.operator.node {
                    Op::Index => return ExprKind::Index(a, b),
                    Op::LogicalAnd => return ExprKind::And(a, b),
                    Op::LogicalOr => return ExprKind::Or(a, b),
                    Op::Assign => (None, true),
                    Op::Multiply => plain(Binary::Mul),
                    Op::Divide => plain(Binary::Div),
                    Op::Modulo => plain(Binary::Rem),
                    Op::Plus => plain(Binary::Add),
                    Op::Minus => plain(Binary::Sub),
                    Op::ShiftLeft => plain(Binary::Shl),
                    Op::ShiftRight => plain(Binary::Shr),
                    Op::Less => plain(Binary::Lt),
                    Op::Greater => plain(Binary::Gt),
                    Op::LessOrEqual => plain(Binary::Le),
                    Op::GreaterOrEqual => plain(Binary::Ge),
                    Op::Equals => plain(Binary::Eq),
                    Op::NotEquals => plain(Binary::Ne),
                    Op::BitwiseAnd => plain(Binary::And),
                    Op::BitwiseXor => plain(Binary::Xor),
                    Op::BitwiseOr => plain(Binary::Or),
                    Op::AssignMultiply => assign(Binary::Mul),
                    Op::AssignDivide => assign(Binary::Div),
                    Op::AssignModulo => assign(Binary::Rem),
                    Op::AssignPlus => assign(Binary::Add),
                    Op::AssignMinus => assign(Binary::Sub),
                    Op::AssignShiftLeft => assign(Binary::Shl),
                    Op::AssignShiftRight => assign(Binary::Shr),
                    Op::AssignBitwiseAnd => assign(Binary::And),
                    Op::AssignBitwiseXor => assign(Binary::Xor),
                    Op::AssignBitwiseOr => assign(Binary::Or),
                };
                match op {
                    Some(op) if !assigns => ExprKind::Binary(op, a, b),
                    op => ExprKind::Assign(op, a, b),
                }
            }
            c::Expression::Conditional(node) => {
                let condition = self.boxed(node.node.condition);
                let then = self.boxed(node.node.then_expression);
                ExprKind::Cond(condition, then, self.boxed(node.node.else_expression))
            }
            c::Expression::Comma(list) => {
                ExprKind::Comma(list.into_iter().map(|part| self.expr(part)).collect())
            }
            c::Expression::Statement(node) => ExprKind::Block(Box::new(self.stmt(*node))),
            c::Expression::GenericSelection(_) => ExprKind::Unsupported("`_Generic`"),
            c::Expression::OffsetOf(_) => ExprKind::Unsupported("`offsetof`"),
            c::Expression::VaArg(_) => ExprKind::Unsupported("`va_arg`"),
        }
    }
    fn constant(&mut self, constant: c::Constant, span: Span) -> ExprKind {
        match constant {
            c::Constant::Integer(number) => {
                let base = match number.base {
                    c::IntegerBase::Decimal => 10,
                    c::IntegerBase::Octal => 8,
                    c::IntegerBase::Hexadecimal => 16,
                    c::IntegerBase::Binary => 2,
                };
                let digits = if number.number.is_empty() { "0" } else { &*number.number };
                let Ok(value) = u128::from_str_radix(digits, base) else {
                    let message = format!("`{digits}` is no number that C can hold");
                    self.diagnostics.push(Diagnostic::error(Code::InvalidNumber, span, message));
                    return ExprKind::Unsupported("this number");
                };
                let longs = match number.suffix.size {
                    c::IntegerSize::Int => 0,
                    c::IntegerSize::Long => 1,
                    c::IntegerSize::LongLong => 2,
                };
                let (decimal, unsigned) = (base == 10, number.suffix.unsigned);
                ExprKind::Int(IntLiteral { value, decimal, unsigned, longs })
            }
            c::Constant::Float(_) => ExprKind::Unsupported("a floating-point number"),
            c::Constant::Character(text) => {
                let inside = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
                match inside.and_then(characters).as_deref() {
                    Some([byte]) => ExprKind::Char(i64::from(*byte as i8)),
                    _ => ExprKind::Unsupported("this kind of character constant"),
                }
            }
        }
    }
    fn stmt(&mut self, node: Node<c::Statement>) -> Stmt {
        let span = place(&node);
        let kind = ir::deep(|| self.stmt_kind(node.node));
        Stmt { kind, span }
    }
    #[expect(clippy::boxed_local, reason = "the reader of C boxes its nodes")]
    fn boxed_stmt(&mut self, node: Box<Node<c::Statement>>) -> Box<Stmt> {
        Box::new(self.stmt(*node))
    }
    fn stmt_kind(&mut self, stmt: c::Statement) -> StmtKind {
        match stmt {
            c::Statement::Labeled(node) => {
                let label = node.node.label.node;
                let inner = self.boxed_stmt(node.node.statement);
                match label {
                    c::Label::Identifier(label) => StmtKind::Labelled(name(label), inner),
                    c::Label::Case(value) => StmtKind::Case(self.expr(*value), None, inner),
                    c::Label::CaseRange(range) => {
                        let (low, high) = (self.expr(*range.node.low), self.expr(*range.node.high));
                        StmtKind::Case(low, Some(high), inner)
                    }
                    c::Label::Default => StmtKind::Default(inner),
                }
            }
            c::Statement::Compound(items) => StmtKind::Block(self.items(items)),
            c::Statement::Expression(expr) => StmtKind::Expr(expr.map(|expr| self.expr(*expr))),
            c::Statement::If(node) => {
                let condition = self.expr(*node.node.condition);
                let then = self.boxed_stmt(node.node.then_statement);
                let other = node.node.else_statement.map(|other| self.boxed_stmt(other));
                StmtKind::If(condition, then, other)
            }
            c::Statement::Switch(node) => {
                let value = self.expr(*node.node.expression);
                StmtKind::Switch(value, self.boxed_stmt(node.node.statement))
            }
            c::Statement::While(node) => {
                let condition = self.expr(*node.node.expression);
                StmtKind::While(condition, self.boxed_stmt(node.node.statement))
            }
            c::Statement::DoWhile(node) => {
                let body = self.boxed_stmt(node.node.statement);
                StmtKind::Do(body, self.expr(*node.node.expression))
            }
            c::Statement::For(node) => {
                let init = match node.node.initializer.node {
                    c::ForInitializer::Empty | c::ForInitializer::StaticAssert(_) => ForInit::Nothing,
                    c::ForInitializer::Expression(expr) => ForInit::Expr(self.expr(*expr)),
                    c::ForInitializer::Declaration(node) => ForInit::Declaration(self.declaration(node)),
                };
                let condition = node.node.condition.map(|condition| self.expr(*condition));
                let step = node.node.step.map(|step| self.expr(*step));
                StmtKind::For(Box::new(init), condition, step, self.boxed_stmt(node.node.statement))
            }
            c::Statement::Goto(label) => StmtKind::Goto(name(label)),
            c::Statement::Continue => StmtKind::Continue,
            c::Statement::Break => StmtKind::Break,
            c::Statement::Return(value) => StmtKind::Return(value.map(|value| self.expr(*value))),
            c::Statement::Asm(_) => StmtKind::Unsupported("`asm`"),
        }
    }
    fn items(&mut self, items: Vec<Node<c::BlockItem>>) -> Vec<BlockItem> {
        let mut list = vec![];
        for item in items {
            match item.node {
                c::BlockItem::Declaration(node) => list.push(BlockItem::Declaration(self.declaration(node))),
                c::BlockItem::Statement(node) => list.push(BlockItem::Stmt(self.stmt(node))),
                c::BlockItem::StaticAssert(_) => {}
            }
        }
        list
    }
}

/// The bytes that the inside of a literal stands for.
fn characters(inside: &str) -> Option<Vec<u8>> {
    let mut bytes = vec![];
    let mut rest = inside.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            let mut buffer = [0; 4];
            bytes.extend(c.encode_utf8(&mut buffer).bytes());
            continue;
        }
        let escaped = rest.next()?;
        let byte = match escaped {
            'n' => b'\n',
            't' => b'\t',
            'r' => b'\r',
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' => 27,
            '\\' | '\'' | '"' | '?' => escaped as u8,
            'x' => {
                let mut value = 0_u32;
                while let Some(digit) = rest.peek().and_then(|c| c.to_digit(16)) {
                    value = (value << 4 | digit) & 0xfff;
                    rest.next();
                }
                u8::try_from(value).ok()?
            }
            '0'..='7' => {
                let mut value = escaped.to_digit(8)?;
                for _ in 0..2 {
                    let Some(digit) = rest.peek().and_then(|c| c.to_digit(8)) else { break };
                    value = value * 8 + digit;
                    rest.next();
                }
                u8::try_from(value).ok()?
            }
            _ => return None,
        };
        bytes.push(byte);
    }
    Some(bytes)
}
