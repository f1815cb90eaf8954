import { Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { countersign } from '../data/client.ts'
import { useMe } from '../session/me.ts'
import { forgetPages } from '../ui/recent.ts'
import { Initials } from './initials.tsx'

/** The menu of the signed-in member, open at first. */
export function AccountMenu() {
  const { member } = useMe()
  const signOut = async () => {
    await countersign.members.signOut()
    forgetPages()
    // A new page has read nothing yet, so the next member sees nothing of this one.
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
