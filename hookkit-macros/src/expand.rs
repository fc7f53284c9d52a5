//! Expands a hook into tokens, without any further decisions.

use hookkit_protocol::hook::{Mode, OnFailure};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path, ReturnType};

use crate::attr::Value;
use crate::item::Item;
use crate::options::{Options, Requirement, What};
use crate::valid::{Hook, OnEvent};

pub(crate) fn expand(hook: &Hook, item: &Item) -> TokenStream {
    let name = &hook.name;
    let vis = &item.vis;
    let func = &item.sig.ident;
    let description = item.doc();
    let hookkit = hookkit(hook.krate.as_ref());
    let options = fields(&hook.options);
    // The answer's own policy.
    let on_failure = hook.events.first().filter(|_| hook.options.on_failure.is_none());
    let on_failure = on_failure.map(|first| {
        let answer = answer(hook, first, item);
        quote!(on_failure: #answer::ON_FAILURE,)
    });
    let count = hook.events.len();
    let types = hook.events.iter().map(|on_event| types(hook, on_event, item));
    let entries = hook.events.iter().enumerate();
    let entries = entries.map(|(index, on_event)| entry(hook, index, on_event, item));
    let configs = hook.events.first().map(|first| arguments(first, item, "CONFIG"));
    let configs = configs.into_iter().flatten();
    let local = hook.events.first().map(|first| arguments(first, item, "LOCAL"));
    let local = local.into_iter().flatten();
    let of_claude = hook.events.first().map(|first| arguments(first, item, "OF_CLAUDE"));
    let of_claude = of_claude.into_iter().flatten();
    let matcher = written(hook.options.matcher.as_ref());
    let condition = written(hook.options.condition.as_ref());

    quote! {
        // A hook owns its arguments even if it need not, and only the client reads its result.
        #[allow(clippy::needless_pass_by_value, clippy::must_use_candidate)]
        #item

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis enum #func {}

        // The event's name has the author's span, and may be in scope there.
        #[allow(unused_qualifications)]
        const _: () = {
            use #hookkit::__private as __hk;

            const __TYPES: &[__hk::Types] = &[#(#types),*];
            const __CONFIGS: &[__hk::OptionalConfig] = &[#(#configs),*];

            // Statics, not constants, so that this crate has the code that they name, and no launcher compiles it again.
            static __ENTRIES: [__hk::Entry; #count] = [#(#entries),*];

            static __DEF: __hk::HookDef = __hk::define(
                __hk::Declaration {
                    name: #name,
                    description: #description,
                    #options
                    #on_failure
                    path: ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#func)),
                    package: ::core::env!("CARGO_PKG_NAME"),
                    package_version: ::core::env!("CARGO_PKG_VERSION"),
                    ..__hk::UNDECLARED
                },
                &__ENTRIES,
                ::core::option::Option::None,
            );

            // `self` is the module: within a function, where no binary can name the hook, this does not compile.
            impl __hk::Hook for self::#func {
                const DEF: &'static __hk::HookDef = &__DEF;
                const SOURCE: __hk::Declared = __hk::Declared {
                    types: __TYPES,
                    matcher: #matcher,
                    condition: #condition,
                    config: __CONFIGS,
                    local: &[#(#local),*],
                    of_claude: &[#(#of_claude),*],
                };
            }

            __hk::register!(self::#func);
        };
    }
}

/// Returns the author's options as fields of a declaration.
pub(crate) fn fields(options: &Options) -> TokenStream {
    fn field(name: &str, value: Option<impl ToTokens>) -> Option<TokenStream> {
        let name = format_ident!("{name}");
        value.map(|value| quote!(#name: ::core::option::Option::Some(#value),))
    }
    let condition = options.condition.as_ref().map(|condition| condition.literal.value());
    let condition = field("condition", condition);
    let timeout = field("timeout", options.timeout);
    let status_message = field("status_message", options.status_message.as_deref());
    let agents = field("agents", options.agents.as_deref());
    let on_failure = options.on_failure.map(|policy| {
        let policy = policy_of(policy);
        quote!(on_failure: #policy,)
    });
    let mode = (options.mode != Mode::Awaited).then(|| {
        let mode = mode(options.mode);
        quote!(mode: __hk::Mode::#mode,)
    });
    quote!(#condition #timeout #status_message #on_failure #mode #agents)
}

/// Returns the identifier that names both the mode's type and its value.
fn mode(mode: Mode) -> Ident {
    format_ident!("{mode:?}")
}

pub(crate) fn policy_of(policy: OnFailure) -> TokenStream {
    let policy = format_ident!("{policy:?}");
    quote!(__hk::OnFailure::#policy)
}

/// Returns whether the author wrote an option, and whether its value is checked.
fn written<V>(value: Option<&Value<V>>) -> TokenStream {
    option(value.map(|value| match value.is_unchecked {
        true => quote!(__hk::Written::Unchecked),
        false => quote!(__hk::Written::Checked),
    }))
}

/// Returns the tools of the function's types, for one of its events.
fn types(hook: &Hook, on_event: &OnEvent, item: &Item) -> TokenStream {
    let matchers = arguments(on_event, item, "MATCHER");
    let answer = answer(hook, on_event, item);
    quote! {
        __hk::Types {
            arguments: &[#(#matchers),*],
            answer: #answer::MATCHER,
        }
    }
}

/// Returns a constant of the argument types, for one of the function's events.
fn arguments(on_event: &OnEvent, item: &Item, constant: &str) -> impl Iterator<Item = TokenStream> {
    let event = event(on_event);
    let constant = format_ident!("{constant}");
    item.arguments().map(move |argument| {
        let ty = &argument.ty;
        quote_spanned!(ty.span()=> <#ty as __hk::FromInput<#event>>::#constant)
    })
}

/// Returns the type of an event, with the span of its name in the attribute.
fn event(OnEvent { event, .. }: &OnEvent) -> TokenStream {
    quote_spanned!(event.span()=> __hk::event::#event)
}

/// Returns the hook's entry on one of its events.
fn entry(hook: &Hook, index: usize, on_event: &OnEvent, item: &Item) -> TokenStream {
    let func = &item.sig.ident;
    let event = event(on_event);
    let arguments = item.arguments().enumerate();
    let arguments = arguments.map(|(index, argument)| (format_ident!("__argument{index}"), &argument.ty));
    let (names, types): (Vec<_>, Vec<_>) = arguments.unzip();
    // One spanned `let` each: rustc then names the argument, and points at its type.
    // The name is ours: with the span of the type, which may come from a macro, it would be a different identifier.
    let payload = format_ident!("__payload");
    let decoded = names.iter().zip(&types).map(|(name, ty)| {
        quote_spanned! {ty.span()=>
            let #name = <#ty as __hk::FromInput<#event>>::from_input(#payload)?;
        }
    });
    let projection = types.iter().map(|ty| quote_spanned!(ty.span()=> <#ty as __hk::FromInput<#event>>::projection));
    let answer = answer(hook, on_event, item);
    let on_failure = option(hook.options.on_failure.map(policy_of));
    let matcher = match &hook.options.matcher {
        None => quote!(__hk::matcher_of(__TYPES[#index].arguments)),
        Some(matcher) => option(Some(matcher.literal.value())),
    };
    let types = quote!(__TYPES[#index]);
    let requirements = on_event.requirements.iter().map(|requirement| check(requirement, &types, &matcher));

    quote! {{
        #(#requirements)*

        // Deprecated hooks are called, too.
        #[allow(deprecated)]
        fn __call(#payload: &__hk::Payload<'_>) -> ::core::result::Result<__hk::Response, __hk::Error> {
            #(#decoded)*
            #answer::into_response(#func(#(#names),*), #payload)
        }

        __hk::entry::<#event>(#matcher, #on_failure, #answer::REWRITES, __call, &[#(#projection,)* #answer::projection])
    }}
}

/// Returns the function's result, converted to the answer that the event requires.
fn answer(hook: &Hook, on_event: &OnEvent, item: &Item) -> TokenStream {
    let event = event(on_event);
    let mode = mode(hook.options.mode);
    let answer = match &item.sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    quote_spanned!(answer.span()=> <#answer as __hk::Answer<#event, __hk::#mode>>)
}

/// Returns a constant that compiles only if the requirement is met. rustc's error then points at the code that the
/// requirement is about.
///
/// `types` describes the function's types on the requirement's event; `matcher` is the hook's matcher.
pub(crate) fn check(
    Requirement { what, span, message }: &Requirement,
    types: &TokenStream,
    matcher: &TokenStream,
) -> TokenStream {
    let of_types = quote!(__hk::matcher_of(#types.arguments));
    let is_met = match what {
        What::Admit(tools) => quote!(__hk::may_admit(#of_types, &[#(#tools),*])),
        What::ForNoOther(tool) => quote!(__hk::is_for_no_other(#of_types, #tool)),
        What::AdmitOne(tools) => quote!(__hk::may_admit_one(#of_types, &[#(#tools),*])),
        What::Agree => quote!(__hk::agree(#types.arguments)),
        What::OneConfig => quote!(__hk::is_one(__CONFIGS)),
        What::ReplaceNothingElse => quote!(__hk::may_replace(#types.answer, #matcher)),
        What::ReplaceNothing => quote!(__hk::may_replace(#types.answer, ::core::option::Option::None)),
    };
    quote_spanned!(*span=> const _: () = ::core::assert!(#is_met, "{}", #message);)
}

/// Returns the path of hookkit.
pub(crate) fn hookkit(krate: Option<&Path>) -> TokenStream {
    krate.map_or_else(|| quote!(::hookkit), ToTokens::to_token_stream)
}

/// Returns an `Option` in tokens.
pub(crate) fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::process::{Command, Stdio};

    use proc_macro2::TokenTree;

    use super::*;

    fn tokens(text: &str) -> TokenStream {
        text.parse().unwrap()
    }

    fn expanded(attribute: &TokenStream, function: &TokenStream) -> TokenStream {
        let item = syn::parse2(function.clone()).unwrap();
        let hook = crate::valid::check(syn::parse2(attribute.clone()).unwrap(), &item).unwrap();
        expand(&hook, &item)
    }

    fn formatted(tokens: &TokenStream) -> String {
        let mut rustfmt = Command::new("rustfmt")
            .args(["--edition=2024", "--config=max_width=120"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let text = tokens.to_string();
        rustfmt.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        String::from_utf8(rustfmt.wait_with_output().unwrap().stdout).unwrap()
    }

    /// Returns tokens in a form that does not depend on the release of rustfmt.
    fn unformatted(tokens: &TokenStream) -> String {
        tokens.to_string().replace([' ', '\n', ','], "")
    }

    /// The snapshots are meant to be read. `SNAPSHOTS=overwrite cargo test -p hookkit-macros` rewrites them.
    #[test]
    fn expansions_are_small_and_can_be_read() {
        for (name, attribute, function) in [
            ("observer", "Stop", "/// Looks on.\npub fn look_on() {}"),
            (
                "guard",
                "PreToolUse, matcher = \"Edit|Write\", timeout = 5",
                "/// Guards.\npub fn guard(call: PreToolUse<tool::FileChange>, context: Context) -> PreToolUseAnswer {\n\
                 PreToolUseAnswer::pass()\n}",
            ),
        ] {
            let expansion = expanded(&tokens(attribute), &tokens(function));
            let path = format!("snapshots/{name}.rs");
            if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
                fs::write(&path, formatted(&expansion)).unwrap();
            }
            let snapshot = tokens(&fs::read_to_string(&path).unwrap());
            assert_eq!(unformatted(&snapshot), unformatted(&expansion), "{path}");
        }
    }

    fn idents(tokens: TokenStream) -> Vec<Ident> {
        let each = tokens.into_iter().flat_map(|token| match token {
            TokenTree::Group(group) => idents(group.stream()),
            TokenTree::Ident(ident) => vec![ident],
            TokenTree::Punct(_) | TokenTree::Literal(_) => Vec::new(),
        });
        each.collect()
    }

    /// Editors find a definition by the position of its name, and rustc positions its messages by it.
    #[test]
    fn event_tool_and_answer_keep_the_authors_spans() {
        let attribute = tokens("PostToolUse, matcher = \"Bash\"");
        let function = tokens("pub fn after(call: Typed<tool::Bash>) -> SomeAnswer { call.into() }");
        let expansion = idents(expanded(&attribute, &function));
        for written in idents(attribute).into_iter().chain(idents(function)) {
            if !["PostToolUse", "Typed", "Bash", "SomeAnswer"].contains(&written.to_string().as_str()) {
                continue;
            }
            // Besides the function itself, in the code generated for it.
            let place = format!("{:?}", written.span());
            let found = expansion.iter().filter(|ident| **ident == written && format!("{:?}", ident.span()) == place);
            let least = if written == "PostToolUse" { 1 } else { 2 };
            assert!(found.count() >= least, "{written}");
        }
    }
}
