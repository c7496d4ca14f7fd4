//! What somebody wants to have run: tasks and configurations by name, for how long, and where the result goes.

use std::path::PathBuf;

use engine::Config;

/// What is to be run.
pub struct Wish {
    pub seconds: f64,
    /// Only tasks whose name contains this.
    pub filter: String,
    /// Configurations, as they were given.
    pub configs: Vec<String>,
    /// Where the result goes; with several files, without their endings.
    pub output: Option<PathBuf>,
}

impl Wish {
    /// What the arguments say, where `config` reads a configuration.
    pub fn read(
        arguments: &[String],
        config: impl Fn(&str) -> Result<Config, String>,
    ) -> Result<Self, String> {
        let mut wish = Wish { seconds: 10.0, filter: String::new(), configs: vec![], output: None };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or(format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--seconds" => {
                    let text = value()?;
                    wish.seconds = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
                }
                "--filter" => wish.filter = value()?.clone(),
                "--output" => wish.output = Some(value()?.into()),
                option if option.starts_with('-') => return Err(format!("unexpected option `{option}`")),
                name => {
                    config(name)?;
                    wish.configs.push(name.to_owned());
                }
            }
        }
        Ok(wish)
    }
}
