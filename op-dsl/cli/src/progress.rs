//! Progress line on standard error.

use std::io::{IsTerminal, Write, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Minimum time between two updates of the progress line, because each is written to the terminal at once.
const INTERVAL: Duration = Duration::from_millis(250);
/// Maximum length of the progress line in characters, so that it does not wrap.
///
/// Narrower terminals are rare, and a line that wraps is not cleared.
const COLUMNS: usize = 79;

/// Progress of a command, shown only on terminals.
pub struct Progress {
    /// `None` where standard error is no terminal, so that nothing is drawn.
    state: Option<Mutex<State>>,
}

struct State {
    prefix: String,
    message: String,
    length: u64,
    done: u64,
    start: Instant,
    /// Time at which the progress line was last drawn.
    drawn: Option<Instant>,
}

impl Progress {
    /// Returns a progress line; the total amount of work is set later by [`Progress::set_length`].
    pub(crate) fn new() -> Progress {
        Progress { state: stderr().is_terminal().then(|| Mutex::new(State::new())) }
    }

    /// Returns a progress line that shows only a message, for work of unknown amount.
    pub(crate) fn of_step(message: impl Into<String>) -> Progress {
        let progress = Progress::new();
        progress.set_message(message);
        progress
    }

    /// Sets the total amount of work.
    pub fn set_length(&self, length: u64) {
        self.change(|state| state.length = length);
    }

    pub(crate) fn set_prefix(&self, prefix: impl Into<String>) {
        self.change(|state| state.prefix = prefix.into());
    }

    /// Changes the message of the progress line and redraws the line at once.
    pub fn set_message(&self, message: impl Into<String>) {
        self.change(|state| {
            state.message = message.into();
            state.draw();
        });
    }

    /// Adds `done` to the finished amount of work.
    pub fn inc(&self, done: u64) {
        self.change(|state| {
            state.done += done;
            if state.drawn.is_none_or(|at| at.elapsed() >= INTERVAL) {
                state.draw();
            }
        });
    }

    /// Sets the finished amount of work to 0 and restarts the clock.
    pub fn reset(&self) {
        self.change(|state| (state.done, state.start) = (0, Instant::now()));
    }

    /// Clears the progress line, then calls `print`; the next update draws the line again.
    pub(crate) fn suspend<R>(&self, print: impl FnOnce() -> R) -> R {
        self.clear();
        print()
    }

    pub(crate) fn clear(&self) {
        self.change(State::clear);
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        if let Some(state) = &self.state {
            change(&mut state.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

impl State {
    fn new() -> State {
        let (prefix, message) = (String::new(), String::new());
        State { prefix, message, length: 0, done: 0, start: Instant::now(), drawn: None }
    }

    fn line(&self) -> String {
        let mut line = format!("{}{:40}", self.prefix, self.message);
        let percent = (self.done.min(self.length) * 100).checked_div(self.length);
        if let Some(percent) = percent {
            line += &format!(" {percent:>3} %");
        }
        if self.done > 0 && self.done < self.length {
            let rest = (self.length - self.done) as f64 / self.done as f64;
            let left = self.start.elapsed().mul_f64(rest).as_secs();
            line += &format!(", {}:{:02} left", left / 60, left % 60);
        }
        line.trim_end().chars().take(COLUMNS).collect()
    }

    /// Draws the progress line. Errors of writing are ignored because the line is not part of the command's result.
    fn draw(&mut self) {
        let _ = write!(stderr(), "\r\x1b[2K{}", self.line()).and_then(|()| stderr().flush());
        self.drawn = Some(Instant::now());
    }

    fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(stderr(), "\r\x1b[2K").and_then(|()| stderr().flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_line_shows_share_and_time_left() {
        let mut state = State::new();
        state.message = "compiling".into();
        assert_eq!(state.line(), "compiling");
        (state.prefix, state.length) = ("[1/2] ".into(), 400);
        assert_eq!(state.line(), format!("[1/2] {:40}   0 %", "compiling"));
        (state.done, state.start) = (100, Instant::now() - Duration::from_secs(25));
        assert_eq!(state.line(), format!("[1/2] {:40}  25 %, 1:15 left", "compiling"));
        state.done = 400;
        assert_eq!(state.line(), format!("[1/2] {:40} 100 %", "compiling"));
        state.prefix = "x".repeat(100);
        assert_eq!(state.line(), "x".repeat(COLUMNS));
    }
}
