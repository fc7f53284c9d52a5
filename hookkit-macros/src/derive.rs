//! Expands `#[derive(ToolInput)]`, for a type that is a tool's input, or an enum for the inputs of several tools.

use hookkit_protocol::event;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DataEnum, DeriveInput, Error, Fields, Ident, LitStr, Token, Type};

use crate::attr::{Krate, Text, Value, value};
use crate::expand::hookkit;
use crate::faults::Faults;
use crate::options::is_sound_matcher;

/// The content of `#[tool(…)]`.
#[derive(Default)]
struct Options {
    /// Names of tools, as in a matcher.
    names: Option<Value<LitStr>>,
    server: Option<Text>,
    plugin: Option<Text>,
    name: Option<Text>,
    response: Option<Type>,
    krate: Option<Krate>,
}

/// Expands `#[derive(ToolInput)]`. A type that cannot be the input of a tool expands to errors.
pub(crate) fn tool_input(input: TokenStream) -> TokenStream {
    syn::parse2(input).and_then(|input| implement(&input)).unwrap_or_else(|err| err.to_compile_error())
}

fn implement(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut faults = Faults::default();
    let options = Options::of(&input.attrs)?;
    if !input.generics.params.is_empty() {
        faults.add(input.generics.span(), "a tool's input type cannot be generic; remove the generics");
    }
    let hookkit = hookkit(options.krate.as_ref().map(|Krate(path)| path));
    let private = quote!(#hookkit::__private);
    let (body, checks) = match &input.data {
        Data::Struct(_) => (of_one(input, &options, &private, &mut faults), TokenStream::new()),
        Data::Enum(data) => of_several(&input.ident, data, &options, &private, &mut faults),
        Data::Union(data) => {
            faults.add(data.union_token.span, "the input of a tool is a struct, or an enum of several tools' inputs");
            Default::default()
        }
    };
    faults.into_result()?;

    let name = &input.ident;
    let response = match &options.response {
        Some(response) => quote!(#response),
        None => quote!(#private::Json),
    };
    Ok(quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #private::ToolInput for #name {
            #body
        }

        #[automatically_derived]
        impl #private::Tool for #name {
            type Response = #response;
        }

        #checks
    })
}

/// Expands a type with one shape for all of its tools.
fn of_one(input: &DeriveInput, options: &Options, private: &TokenStream, faults: &mut Faults) -> TokenStream {
    let matcher = match (&options.names, &options.server) {
        (Some(names), None) => {
            for (option, text) in [("plugin", &options.plugin), ("name", &options.name)] {
                if let Some(Text(text)) = text {
                    faults.add(text.span(), format_args!("`{option}` has no effect without `server`; remove it"));
                }
            }
            let (text, span) = (names.literal.value(), names.literal.span());
            if !names.is_unchecked {
                is_sound_matcher(&event::PRE_TOOL_USE, &text, span, faults);
            }
            text
        }
        (None, Some(_)) => options.of_server(faults),
        (Some(names), Some(_)) => {
            faults.add(names.literal.span(), "the tool is named here and by `server`; keep one of them");
            return TokenStream::new();
        }
        (None, None) => {
            faults.add(
                input.ident.span(),
                "name the tool: `#[tool(\"Bash\")]`, or `#[tool(server = \"github\", name = \"create_issue\")]` \
                 for a tool of an MCP server",
            );
            return TokenStream::new();
        }
    };
    quote! {
        const MATCHER: ::core::option::Option<&'static str> = ::core::option::Option::Some(#matcher);

        fn from_call(_: &str, input: #private::Deserializer<'_, '_>) -> ::core::result::Result<Self, #private::JsonError> {
            #private::decode(input)
        }

        fn projection() -> #private::Projection {
            #private::projection_of::<Self>()
        }
    }
}

/// Expands an enum with one variant per tool type into the trait's items and the constants that rustc checks.
fn of_several(
    name: &Ident,
    data: &DataEnum,
    options: &Options,
    private: &TokenStream,
    faults: &mut Faults,
) -> (TokenStream, TokenStream) {
    let texts = [&options.server, &options.plugin, &options.name].map(|text| text.as_ref().map(|Text(text)| text));
    let names = options.names.as_ref().map(|names| &names.literal);
    for text in texts.into_iter().chain([names]).flatten() {
        faults.add(text.span(), "remove this; each variant's type names its own tools");
    }
    let mut names: Vec<&Ident> = Vec::new();
    let mut types: Vec<&Type> = Vec::new();
    for variant in &data.variants {
        match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                names.push(&variant.ident);
                types.extend(fields.unnamed.iter().map(|field| &field.ty));
            }
            _ => faults.add(
                variant.span(),
                format_args!("a variant holds the input of a tool: `{0}(tool::{0})`", variant.ident),
            ),
        }
    }
    if names.is_empty() {
        faults.add(name.span(), "the enum has no variants; write one for each tool");
    }
    let inputs: Vec<TokenStream> =
        types.iter().map(|ty| quote_spanned!(ty.span()=> <#ty as #private::ToolInput>)).collect();
    // Separate items: an associated constant is not evaluated before it is used.
    let joined = inputs.iter().zip(&types).map(|(input, ty)| {
        let message = "an enum lists its tools one by one; for all tools of a server, write a separate hook";
        let count = types.len();
        quote_spanned! {ty.span()=>
            const _: () = ::core::assert!(#private::can_be_joined(#input::MATCHER, #count), "{}", #message);
        }
    });
    let apart = (1..types.len()).map(|index| {
        let (before, ty, input) = (&inputs[..index], types[index], &inputs[index]);
        let message = "a tool of this variant also belongs to an earlier variant, which always wins; \
                       remove it from one of them";
        quote_spanned! {ty.span()=>
            const _: () = ::core::assert!(#private::is_apart(&[#(#before::MATCHER),*], #input::MATCHER), "{}", #message);
        }
    });
    let checks = joined.chain(apart).collect();
    let body = quote! {
        const MATCHER: ::core::option::Option<&'static str> = {
            const PARTS: &[::core::option::Option<&str>] = &[#(#inputs::MATCHER),*];
            const TEXT: [u8; #private::joined_length(PARTS)] = #private::joined(PARTS);
            #private::joined_matcher(PARTS, &TEXT)
        };

        fn from_call(
            tool_name: &str,
            input: #private::Deserializer<'_, '_>,
        ) -> ::core::result::Result<Self, #private::JsonError> {
            #(
                if #private::is_of(#inputs::MATCHER, tool_name) {
                    return #inputs::from_call(tool_name, input).map(Self::#names);
                }
            )*
            ::core::result::Result::Err(#private::no_variant(tool_name))
        }

        fn projection() -> #private::Projection {
            #private::Projection::All
        }
    };
    (body, checks)
}

impl Options {
    fn of(attrs: &[Attribute]) -> syn::Result<Self> {
        let mut options = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("tool")) {
            attr.parse_args_with(|input: ParseStream<'_>| options.parse(input))?;
        }
        Ok(options)
    }

    fn parse(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let is_unchecked = input.fork().parse::<Ident>().is_ok_and(|word| word == "unchecked");
        if input.peek(LitStr) || is_unchecked {
            self.names = Some(input.parse()?);
        } else {
            self.option(input)?;
        }
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if !input.is_empty() {
                self.option(input)?;
            }
        }
        Ok(())
    }

    fn option(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let key = input.call(Ident::parse_any)?;
        match key.to_string().as_str() {
            "server" => value(input, &key, &mut self.server),
            "plugin" => value(input, &key, &mut self.plugin),
            "name" => value(input, &key, &mut self.name),
            "response" => value(input, &key, &mut self.response),
            "crate" => value(input, &key, &mut self.krate),
            written => Err(Error::new(
                key.span(),
                format!("there is no option `{written}`; there are `server`, `plugin`, `name`, `response` and `crate`"),
            )),
        }
    }

    /// Returns the matcher for one tool of a server, or for all of its tools, with names as Claude Code 2.1.330 writes
    /// them.
    fn of_server(&self, faults: &mut Faults) -> String {
        let server = part("server", self.server.as_ref(), &["mcp__"], faults);
        let plugin = part("plugin", self.plugin.as_ref(), &["plugin_", "mcp__"], faults);
        let name = part("name", self.name.as_ref(), &["mcp__"], faults);
        if let Some(Text(text)) = &self.name
            && text.value().contains(['*', '|'])
        {
            faults.add(
                text.span(),
                "this is the name of one tool; leave it out for all tools of the server, or list the tools' whole names: \
                 `#[tool(\"mcp__server__one|mcp__server__other\")]`",
            );
        }
        let server = match &self.plugin {
            Some(_) => format!("plugin_{plugin}_{server}"),
            None => server,
        };
        match &self.name {
            Some(_) => format!("mcp__{server}__{name}"),
            None => format!("mcp__{server}__.*"),
        }
    }
}

/// Returns a part of a tool's name as the client writes it. Adds a fault if it is empty, has blanks at its ends, or
/// begins with one of `prefixes`.
fn part(option: &str, text: Option<&Text>, prefixes: &[&str], faults: &mut Faults) -> String {
    let Some(Text(text)) = text else {
        return String::new();
    };
    let written = text.value();
    if written.is_empty() {
        faults.add(text.span(), format_args!("`{option}` is empty"));
    } else if written.trim() != written {
        faults.add(text.span(), format_args!("`{option}` has leading or trailing blanks, which count; remove them"));
    } else if let Some(prefix) = prefixes.iter().find(|prefix| written.starts_with(**prefix)) {
        faults.add(text.span(), format_args!("`{prefix}` is added before the {option} automatically; remove it"));
    }
    plain(&written)
}

/// Returns the name of a server or tool as the client writes it.
///
/// Each UTF-16 unit that is not a letter, digit, `_` or `-` becomes `_`. For servers of claude.ai, repeated `_` become
/// one, and `_` at the ends are removed.
fn plain(name: &str) -> String {
    let mut plain = String::new();
    for char in name.chars() {
        if char.is_ascii_alphanumeric() || "_-".contains(char) {
            plain.push(char);
        } else {
            plain.extend(std::iter::repeat_n('_', char.len_utf16()));
        }
    }
    if name.starts_with("claude.ai ") {
        let parts: Vec<&str> = plain.split('_').filter(|part| !part.is_empty()).collect();
        return parts.join("_");
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_are_written_as_the_client_writes_them() {
        for (name, written) in [
            ("github", "github"),
            ("my server/2", "my_server_2"),
            ("a\u{1f680}b", "a__b"),
            ("\u{1f680}x", "__x"),
            ("claude.ai Foo (Beta)", "claude_ai_Foo_Beta"),
            ("claude.ai", "claude_ai"),
            ("Foo (Beta)", "Foo__Beta_"),
        ] {
            assert_eq!(plain(name), written, "{name}");
        }
    }
}
