/** The fixed beginnings of stamps, sealed codes, Basic headers and tokens of agents, and the form of a device code. */
export const SHAPES = [
  /eyJwdWJsaWNLZXki/,
  /encappedPublic/,
  /\bBasic [A-Za-z0-9+/]{8}/,
  /\bcsa_[A-Za-z0-9_-]{43}/,
  /\b[0-9A-HJKMNP-TV-Z]{3}-[0-9A-HJKMNP-TV-Z]{3}-[0-9A-HJKMNP-TV-Z]{3}\b/,
  /clientSecret/i,
  /\bmnemonic\b/,
]
