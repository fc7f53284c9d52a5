#[allow(clippy::needless_pass_by_value, clippy::must_use_candidate)]
#[doc = " Looks on."]
pub fn look_on() {}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub enum look_on {}
#[allow(unused_qualifications)]
const _: () = {
    use ::hookkit::__private as __hk;
    const __TYPES: &[__hk::Types] =
        &[__hk::Types { arguments: &[], answer: <() as __hk::Answer<__hk::event::Stop, __hk::Awaited>>::MATCHER }];
    const __CONFIGS: &[__hk::OptionalConfig] = &[];
    static __ENTRIES: [__hk::Entry; 1usize] = [{
        #[allow(deprecated)]
        fn __call(__payload: &__hk::Payload<'_>) -> ::core::result::Result<__hk::Response, __hk::Error> {
            <() as __hk::Answer<__hk::event::Stop, __hk::Awaited>>::into_response(look_on(), __payload)
        }
        __hk::entry::<__hk::event::Stop>(
            __hk::matcher_of(__TYPES[0usize].arguments),
            ::core::option::Option::None,
            <() as __hk::Answer<__hk::event::Stop, __hk::Awaited>>::REWRITES,
            __call,
            &[<() as __hk::Answer<__hk::event::Stop, __hk::Awaited>>::projection],
        )
    }];
    static __DEF: __hk::HookDef = __hk::define(
        __hk::Declaration {
            name: "look-on",
            description: "Looks on.",
            on_failure: <() as __hk::Answer<__hk::event::Stop, __hk::Awaited>>::ON_FAILURE,
            path: ::core::concat!(::core::module_path!(), "::", ::core::stringify!(look_on)),
            package: ::core::env!("CARGO_PKG_NAME"),
            package_version: ::core::env!("CARGO_PKG_VERSION"),
            ..__hk::UNDECLARED
        },
        &__ENTRIES,
        ::core::option::Option::None,
    );
    impl __hk::Hook for self::look_on {
        const DEF: &'static __hk::HookDef = &__DEF;
        const SOURCE: __hk::Declared = __hk::Declared {
            types: __TYPES,
            matcher: ::core::option::Option::None,
            condition: ::core::option::Option::None,
            config: __CONFIGS,
            local: &[],
            of_claude: &[],
        };
    }
    __hk::register!(self::look_on);
};
