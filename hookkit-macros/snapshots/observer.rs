#[allow(clippy::needless_pass_by_value, clippy::must_use_candidate)]
#[doc = " Looks on."]
pub fn look_on() {}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub enum look_on {}
const _: () = {
    const __TYPES: &[::hookkit::__private::Types] = &[::hookkit::__private::Types {
        arguments: &[],
        answer: <() as ::hookkit::__private::Answer<
            ::hookkit::__private::event::Stop,
            ::hookkit::__private::Awaited,
        >>::MATCHER,
    }];
    static __ENTRIES: [::hookkit::__private::Entry; 1usize] = [{
        #[allow(deprecated)]
        fn __call(
            __payload: &::hookkit::__private::Payload<'_>,
        ) -> ::core::result::Result<::hookkit::__private::Response, ::hookkit::__private::Error> {
            < () as :: hookkit :: __private :: Answer < :: hookkit :: __private :: event :: Stop , :: hookkit :: __private :: Awaited >> :: into_response (look_on () , __payload)
        }
        ::hookkit::__private::entry::<::hookkit::__private::event::Stop>(::hookkit::__private::EntryDeclaration {
            matcher: ::hookkit::__private::matcher_of(__TYPES[0usize].arguments),
            is_block_written: false,
            call: __call,
            wants: &[<() as ::hookkit::__private::Answer<
                ::hookkit::__private::event::Stop,
                ::hookkit::__private::Awaited,
            >>::wants],
        })
    }];
    static __DEF: ::hookkit::__private::HookDef = ::hookkit::__private::define(::hookkit::__private::Declaration {
        name: "look-on",
        description: "Looks on.",
        entries: &__ENTRIES,
        condition: ::core::option::Option::None,
        timeout: ::core::option::Option::None,
        status_message: ::core::option::Option::None,
        on_failure: <() as ::hookkit::__private::Answer<
            ::hookkit::__private::event::Stop,
            ::hookkit::__private::Awaited,
        >>::ON_FAILURE,
        mode: ::hookkit::__private::Mode::Awaited,
        path: ::core::concat!(::core::module_path!(), "::", ::core::stringify!(look_on)),
    });
    impl ::hookkit::__private::Hook for self::look_on {
        const DEF: &'static ::hookkit::__private::HookDef = &__DEF;
        const DECLARED: ::hookkit::__private::Declared = ::hookkit::__private::Declared {
            types: __TYPES,
            matcher: ::core::option::Option::None,
            condition: ::core::option::Option::None,
        };
    }
    ::hookkit::__private::register!(look_on);
};
