//! The codes of this room.

crate::codes! { "ansible":
    /// A source of an inventory that no plugin can read.
    SOURCE = "source";
    /// A program that should give an inventory, and failed.
    PROGRAM = "program" => World;
    /// A file of variables that cannot be read.
    VARIABLES = "variables";
    /// A vault that is a whole file, and its password is not there.
    VAULT_FILE = "vault-file";
    /// A variable that is a vault, and its password is not there.
    VAULT_VARIABLE = "vault-variable";
    /// A source of vault passwords that gives none.
    VAULT_FACILITY = "vault-facility";
    /// A variable whose template names one that is not there.
    UNDEFINED = "undefined";
    /// A variable whose template fails.
    TEMPLATE = "template";
}
