#[allow(clippy::needless_pass_by_value, clippy::must_use_candidate)]
#[doc = " Guards."]
pub fn guard(call: PreToolUse<tool::FileChange>, context: Context) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub enum guard {}
const _: () = {
    const __TYPES: &[::hookkit::__private::Types] = &[::hookkit::__private::Types {
        arguments: &[
            <PreToolUse<tool::FileChange> as ::hookkit::__private::FromInput<
                ::hookkit::__private::event::PreToolUse,
            >>::MATCHER,
            <Context as ::hookkit::__private::FromInput<::hookkit::__private::event::PreToolUse>>::MATCHER,
        ],
        answer: <PreToolUseAnswer as ::hookkit::__private::Answer<
            ::hookkit::__private::event::PreToolUse,
            ::hookkit::__private::Awaited,
        >>::MATCHER,
    }];
    static __ENTRIES: [::hookkit::__private::Entry; 1usize] = [{
        const _: () = ::core::assert!(
            ::hookkit::__private::may_admit(::hookkit::__private::matcher_of(__TYPES[0usize].arguments), &["Edit"]),
            "{}",
            "the matcher `Edit|Write` admits `Edit`, whose input the type of the event does not have; narrow the matcher, or leave it out: it is then the type's own"
        );
        const _: () = ::core::assert!(
            ::hookkit::__private::may_admit(::hookkit::__private::matcher_of(__TYPES[0usize].arguments), &["Write"]),
            "{}",
            "the matcher `Edit|Write` admits `Write`, whose input the type of the event does not have; narrow the matcher, or leave it out: it is then the type's own"
        );
        const _: () = ::core::assert!(
            ::hookkit::__private::agree(__TYPES[0usize].arguments),
            "{}",
            "two arguments stand for different tools, and no call is of both; remove one"
        );
        const _: () = ::core::assert!(
            ::hookkit::__private::may_replace(__TYPES[0usize].answer, ::core::option::Option::Some("Edit|Write")),
            "{}",
            "the answer replaces what belongs to other tools than the hook is called on: give it the tool of the event, as in `PreToolUse<tool::Bash>` and `PreToolUseAnswer<tool::Bash>`, or name that tool in the matcher"
        );
        #[allow(deprecated)]
        fn __call(
            __payload: &::hookkit::__private::Payload<'_>,
        ) -> ::core::result::Result<::hookkit::__private::Response, ::hookkit::__private::Error> {
            let __argument0 = <PreToolUse<tool::FileChange> as ::hookkit::__private::FromInput<
                ::hookkit::__private::event::PreToolUse,
            >>::from_input(__payload)?;
            let __argument1 =
                <Context as ::hookkit::__private::FromInput<::hookkit::__private::event::PreToolUse>>::from_input(
                    __payload,
                )?;
            <PreToolUseAnswer as ::hookkit::__private::Answer<
                ::hookkit::__private::event::PreToolUse,
                ::hookkit::__private::Awaited,
            >>::into_response(guard(__argument0, __argument1), __payload)
        }
        ::hookkit::__private::entry::<::hookkit::__private::event::PreToolUse>(::hookkit::__private::EntryDeclaration {
            matcher: ::core::option::Option::Some("Edit|Write"),
            is_block_written: false,
            call: __call,
            wants: &[
                <PreToolUse<tool::FileChange> as ::hookkit::__private::FromInput<
                    ::hookkit::__private::event::PreToolUse,
                >>::wants,
                <Context as ::hookkit::__private::FromInput<::hookkit::__private::event::PreToolUse>>::wants,
                <PreToolUseAnswer as ::hookkit::__private::Answer<
                    ::hookkit::__private::event::PreToolUse,
                    ::hookkit::__private::Awaited,
                >>::wants,
            ],
        })
    }];
    static __DEF: ::hookkit::__private::HookDef = ::hookkit::__private::define(::hookkit::__private::Declaration {
        name: "guard",
        description: "Guards.",
        entries: &__ENTRIES,
        condition: ::core::option::Option::None,
        timeout: ::core::option::Option::Some(5u32),
        status_message: ::core::option::Option::None,
        on_failure: <PreToolUseAnswer as ::hookkit::__private::Answer<
            ::hookkit::__private::event::PreToolUse,
            ::hookkit::__private::Awaited,
        >>::ON_FAILURE,
        mode: ::hookkit::__private::Mode::Awaited,
        path: ::core::concat!(::core::module_path!(), "::", ::core::stringify!(guard)),
    });
    impl ::hookkit::__private::Hook for self::guard {
        const DEF: &'static ::hookkit::__private::HookDef = &__DEF;
        const DECLARED: ::hookkit::__private::Declared = ::hookkit::__private::Declared {
            types: __TYPES,
            matcher: ::core::option::Option::Some(::hookkit::__private::Written::Checked),
            condition: ::core::option::Option::None,
        };
    }
    ::hookkit::__private::register!(guard);
};
