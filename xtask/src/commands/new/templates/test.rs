@imports@
    use super::@own@;

@recorded@    #[test]
    fn @what@() {
@run@@refused@    }
