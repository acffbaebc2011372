/** Where the project says that it lives: in the manifest for krew, in the statement of a release, in its notes. */
export const home = "https://github.com/northgate-ovn/northgate";
