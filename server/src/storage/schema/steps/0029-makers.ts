/**
 * Makers of links and tokens: a link is valid while its maker has the rights that it grants, and the tokens of a removed member are
 * listed. Null: made by a server of release 0.1.0, which kept nobody.
 */
export const makers = `
ALTER TABLE member_links
  ADD COLUMN maker text CHECK (maker IN ('OPERATOR', 'TOKEN', 'MEMBER')),
  -- The token or the member.
  ADD COLUMN maker_id uuid;

-- The member who made the token, or the one who made the token that made it.
ALTER TABLE api_tokens ADD COLUMN maker_member_id uuid REFERENCES members;
CREATE INDEX api_tokens_of_member ON api_tokens (maker_member_id) WHERE deleted_at IS NULL AND maker_member_id IS NOT NULL;
`
