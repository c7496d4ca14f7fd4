//! Contexts: the arena of one thread's solver objects, and how another thread stops them.

use std::ffi::{CStr, CString, c_int};
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::ffi::{Api, Ptr, Text};
use crate::library::{LoadError, api};

/// An arena of solver objects; clones share it. It stays in its thread.
#[derive(Clone)]
pub struct Context(Rc<Inner>);

struct Inner {
    raw: Ptr,
    api: &'static Api,
    stop: Arc<Shared>,
}

/// Why an operation has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Another thread asked to stop.
    Stopped,
    /// The limit of time or work of this one call is reached.
    Budget,
    /// The memory limit is reached.
    Memory,
    /// There is no library.
    Library(LoadError),
    /// What the library says.
    Other(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Stopped => f.write_str("stopped"),
            Failure::Budget => f.write_str("out of budget"),
            Failure::Memory => f.write_str("out of memory"),
            Failure::Library(error) => error.fmt(f),
            Failure::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Failure {}

/// Calls a function of the library with the context as first argument.
macro_rules! call {
    ($context:expr, $name:ident $(, $argument:expr)* $(,)?) => {{
        let context: &$crate::context::Context = $context;
        // SAFETY: the context is alive, and every handle that this crate passes was made by the same
        // context and is kept alive by a counted reference or an enclosing object.
        #[expect(unsafe_code, reason = "the one place where functions of the library are called")]
        unsafe {
            (context.api().$name)(context.raw() $(, $argument)*)
        }
    }};
}
pub(crate) use call;

impl Context {
    /// A new arena.
    pub fn new() -> Result<Context, Failure> {
        let api = api().map_err(Failure::Library)?;
        // SAFETY: the configuration is only read while the context is made; without a handler, errors
        // are left to be asked for, which every wrapper here does.
        #[expect(unsafe_code, reason = "there is no context yet")]
        let raw = unsafe {
            let config = (api.mk_config)();
            let raw = (api.mk_context_rc)(config);
            (api.del_config)(config);
            // Nothing but a lack of memory prevents a context.
            if raw.is_null() {
                return Err(Failure::Memory);
            }
            (api.set_error_handler)(raw, None);
            raw
        };
        let state = State { raw: Some(Address(raw)), running: false, requested: false };
        Ok(Context(Rc::new(Inner { raw, api, stop: Arc::new(Shared { api, state: Mutex::new(state) }) })))
    }
    /// What the library answers to the commands of a script in SMT-LIB 2.
    pub fn script(&self, script: &str) -> Result<String, Failure> {
        let script = CString::new(script).map_err(|error| Failure::Other(error.to_string()))?;
        let answer = self.stoppable(|| call!(self, eval_smtlib2_string, script.as_ptr()))?;
        let answer = self.text(answer);
        self.failure().map_or(Ok(answer), Err)
    }
    /// The handle by which any thread stops what this context is doing.
    pub fn stop(&self) -> Stop {
        Stop(self.0.stop.clone())
    }
    /// Whether two handles are of the same context.
    pub(crate) fn is(&self, other: &Context) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
    pub(crate) fn raw(&self) -> Ptr {
        self.0.raw
    }
    pub(crate) fn api(&self) -> &'static Api {
        self.0.api
    }
    /// What went wrong in the last call, if anything did.
    pub(crate) fn failure(&self) -> Option<Failure> {
        const MEMOUT: c_int = 7;
        match call!(self, get_error_code) {
            0 => None,
            MEMOUT => Some(Failure::Memory),
            code => Some(self.explain(&self.text(call!(self, get_error_msg, code)))),
        }
    }
    /// The failure behind a message of the library.
    pub(crate) fn explain(&self, message: &str) -> Failure {
        if message.contains("memory") {
            Failure::Memory
        } else if self.0.stop.lock().requested {
            Failure::Stopped
        } else if ["cancel", "timeout", "resource", "interrupted"].iter().any(|word| message.contains(word)) {
            Failure::Budget
        } else {
            Failure::Other(message.to_owned())
        }
    }
    pub(crate) fn text(&self, text: Text) -> String {
        if text.is_null() {
            return String::new();
        }
        // SAFETY: the library returns texts that end with a zero and live until the next call.
        #[expect(unsafe_code, reason = "copies a text of the library")]
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
    /// Runs something long that [`Stop`] may stop.
    pub(crate) fn stoppable<T>(&self, run: impl FnOnce() -> T) -> Result<T, Failure> {
        {
            let mut state = self.0.stop.lock();
            if state.requested {
                return Err(Failure::Stopped);
            }
            state.running = true;
        }
        let result = run();
        self.0.stop.lock().running = false;
        Ok(result)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.stop.lock().raw = None;
        // SAFETY: handles keep their context alive, so there are none left; `Stop` was told above.
        #[expect(unsafe_code, reason = "the end of the context")]
        unsafe {
            (self.api.del_context)(self.raw)
        }
    }
}

/// Stops a context from any thread, now and until [`Stop::clear`].
#[derive(Clone)]
pub struct Stop(Arc<Shared>);

struct Shared {
    api: &'static Api,
    state: Mutex<State>,
}

struct State {
    /// `None` once the context is gone.
    raw: Option<Address>,
    running: bool,
    requested: bool,
}

struct Address(Ptr);

// SAFETY: the address is used by other threads only for `Z3_interrupt`, which is made for that, and
// only under the lock that the end of the context takes too.
#[expect(unsafe_code, reason = "interrupting is the one thing other threads may do")]
unsafe impl Send for Address {}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stop {
    /// Stops the running check, if there is one, and lets every further one fail.
    pub fn stop(&self) {
        self.0.lock().requested = true;
        // A check that is just being entered does not listen yet, so it is told again for a while, unless
        // checks may run again meanwhile.
        for round in 0..200 {
            {
                let state = self.0.lock();
                match &state.raw {
                    Some(Address(raw)) if state.running && state.requested => {
                        // SAFETY: the context is alive, because its end takes the same lock.
                        #[expect(unsafe_code, reason = "see `Address`")]
                        unsafe {
                            (self.0.api.interrupt)(*raw)
                        }
                    }
                    _ => return,
                }
            }
            std::thread::sleep(Duration::from_micros(if round < 20 { 100 } else { 5_000 }));
        }
    }
    /// Whether somebody asked to stop.
    pub fn is_requested(&self) -> bool {
        self.0.lock().requested
    }
    /// Lets checks run again.
    pub fn clear(&self) {
        self.0.lock().requested = false;
    }
}
