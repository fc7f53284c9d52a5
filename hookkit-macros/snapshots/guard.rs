#[allow(clippy::needless_pass_by_value, clippy::must_use_candidate)]
#[doc = " Guards."]
pub fn guard(call: PreToolUse<tool::FileChange>, context: Context) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub enum guard {}
#[allow(unused_qualifications)]
const _: () = {
    use ::hookkit::__private as __hk;
    const __TYPES: &[__hk::Types] = &[__hk::Types {
        arguments: &[
            <PreToolUse<tool::FileChange> as __hk::FromInput<__hk::event::PreToolUse>>::MATCHER,
            <Context as __hk::FromInput<__hk::event::PreToolUse>>::MATCHER,
        ],
        answer: <PreToolUseAnswer as __hk::Answer<__hk::event::PreToolUse, __hk::Awaited>>::MATCHER,
    }];
    const __CONFIGS: &[__hk::OptionalConfig] = &[
        <PreToolUse<tool::FileChange> as __hk::FromInput<__hk::event::PreToolUse>>::CONFIG,
        <Context as __hk::FromInput<__hk::event::PreToolUse>>::CONFIG,
    ];
    static __ENTRIES: [__hk::Entry; 1usize] = [{
        const _: () = ::core::assert!(
            __hk::may_admit(__hk::matcher_of(__TYPES[0usize].arguments), &["Edit"]),
            "{}",
            "the matcher `Edit|Write` includes `Edit`, but the type of the event cannot hold its input; narrow the matcher, or remove it to use the type's own"
        );
        const _: () = ::core::assert!(
            __hk::may_admit(__hk::matcher_of(__TYPES[0usize].arguments), &["Write"]),
            "{}",
            "the matcher `Edit|Write` includes `Write`, but the type of the event cannot hold its input; narrow the matcher, or remove it to use the type's own"
        );
        const _: () = ::core::assert!(
            __hk::agree(__TYPES[0usize].arguments),
            "{}",
            "these two arguments are for different tools, so no call matches both; remove one"
        );
        const _: () =
            ::core::assert!(__hk::is_one(__CONFIGS), "{}", "a hook has one configuration; put both types into one");
        const _: () = ::core::assert!(
            __hk::may_replace(__TYPES[0usize].answer, ::core::option::Option::Some("Edit|Write")),
            "{}",
            "the hook is called on tools that the answer's type does not cover: use one tool in both types, as in `PreToolUse<tool::Bash>` and `PreToolUseAnswer<tool::Bash>`, or name only that tool in the matcher"
        );
        #[allow(deprecated)]
        fn __call(__payload: &__hk::Payload<'_>) -> ::core::result::Result<__hk::Response, __hk::Error> {
            let __argument0 =
                <PreToolUse<tool::FileChange> as __hk::FromInput<__hk::event::PreToolUse>>::from_input(__payload)?;
            let __argument1 = <Context as __hk::FromInput<__hk::event::PreToolUse>>::from_input(__payload)?;
            <PreToolUseAnswer as __hk::Answer<__hk::event::PreToolUse, __hk::Awaited>>::into_response(
                guard(__argument0, __argument1),
                __payload,
            )
        }
        __hk::entry::<__hk::event::PreToolUse>(
            ::core::option::Option::Some("Edit|Write"),
            ::core::option::Option::None,
            <PreToolUseAnswer as __hk::Answer<__hk::event::PreToolUse, __hk::Awaited>>::REWRITES,
            __call,
            &[
                <PreToolUse<tool::FileChange> as __hk::FromInput<__hk::event::PreToolUse>>::projection,
                <Context as __hk::FromInput<__hk::event::PreToolUse>>::projection,
                <PreToolUseAnswer as __hk::Answer<__hk::event::PreToolUse, __hk::Awaited>>::projection,
            ],
        )
    }];
    static __DEF: __hk::HookDef = __hk::define(
        __hk::Declaration {
            name: "guard",
            description: "Guards.",
            timeout: ::core::option::Option::Some(5u32),
            on_failure: <PreToolUseAnswer as __hk::Answer<__hk::event::PreToolUse, __hk::Awaited>>::ON_FAILURE,
            path: ::core::concat!(::core::module_path!(), "::", ::core::stringify!(guard)),
            package: ::core::env!("CARGO_PKG_NAME"),
            package_version: ::core::env!("CARGO_PKG_VERSION"),
            ..__hk::UNDECLARED
        },
        &__ENTRIES,
        ::core::option::Option::None,
    );
    impl __hk::Hook for self::guard {
        const DEF: &'static __hk::HookDef = &__DEF;
        const SOURCE: __hk::Declared = __hk::Declared {
            types: __TYPES,
            matcher: ::core::option::Option::Some(__hk::Written::Checked),
            condition: ::core::option::Option::None,
            config: __CONFIGS,
            local: &[
                <PreToolUse<tool::FileChange> as __hk::FromInput<__hk::event::PreToolUse>>::LOCAL,
                <Context as __hk::FromInput<__hk::event::PreToolUse>>::LOCAL,
            ],
            of_claude: &[
                <PreToolUse<tool::FileChange> as __hk::FromInput<__hk::event::PreToolUse>>::OF_CLAUDE,
                <Context as __hk::FromInput<__hk::event::PreToolUse>>::OF_CLAUDE,
            ],
        };
    }
    __hk::register!(self::guard);
};
