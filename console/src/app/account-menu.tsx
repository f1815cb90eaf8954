import { Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { countersign } from '../data/client.ts'
import { useMe } from '../session/me.ts'
import { forgetPages } from '../ui/recent.ts'
import { Initials } from './initials.tsx'

/** The signed-in member's menu, initially open. */
export function AccountMenu() {
  const { member } = useMe()
  const signOut = async () => {
    await countersign.members.signOut()
    forgetPages()
    // A full page load clears all cached data, so the next member cannot see it.
    location.assign('/console/')
  }
  return (
    <Menu position="bottom-end" width={260} defaultOpened>
      <Menu.Target>
        <Initials />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <span className="clipped">{member.name}</span>
          <span className="clipped">{member.email}</span>
        </Menu.Label>
        <Menu.Item component={Link} to="/settings">
          Settings
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
