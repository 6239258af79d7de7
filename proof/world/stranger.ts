/**
 * A stranger's script, in another prim of the merchant's object. Every 20 seconds it writes the payments it would like
 * into the memory of the linkset, in each form that a vendor or a cashier has used. It also writes again what it has
 * read from others and what was deleted since. When touched, it erases everything.
 */
export const strangerSource = `
list gMine;
list gSeen;

forge(string name, string value)
{
    if (llLinksetDataWrite(name, value) == 0) gMine += name;
}

string sale(string id, integer paid)
{
    return "S{\\"id\\":\\"" + id + "\\",\\"paid\\":" + (string)paid + ",\\"productId\\":\\"" + id + "\\",\\"buyerIdentifier\\":\\""
        + (string)llGetOwner() + "\\",\\"recipientIdentifier\\":\\"" + (string)llGetOwner() + "\\",\\"useCredit\\":false}";
}

default
{
    state_entry()
    {
        llSetTimerEvent(20.0);
    }

    timer()
    {
        integer i;
        for (i = 0; i < llGetListLength(gMine); ++i) llLinksetDataDelete(llList2String(gMine, i));
        gMine = [];
        for (i = 0; i < llGetListLength(gSeen); i += 2)
            if (llLinksetDataRead(llList2String(gSeen, i)) == "") forge(llList2String(gSeen, i), llList2String(gSeen, i + 1));
        gSeen = [];
        list all = llLinksetDataFindKeys("^sis:", 0, 20);
        for (i = 0; i < llGetListLength(all); ++i)
        {
            string value = llLinksetDataRead(llList2String(all, i));
            if (llGetSubString(value, 0, 0) == "O") gSeen += [llList2String(all, i), value];
        }
        string id = (string)llGenerateKey();
        string owed = "O" + (string)llGetOwner() + "400";
        forge("sis:" + id, owed);
        forge("sis:" + (string)llGenerateKey(), sale(id, 500));
        for (i = 1; i <= llGetNumberOfPrims(); ++i)
        {
            forge("sis:v:" + (string)llGetLinkKey(i) + ":" + (string)llGenerateKey(), owed);
            forge("sis:v:" + (string)llGetLinkKey(i) + ":" + (string)llGenerateKey(), sale(id, 500));
            forge("sis:c:" + (string)llGetLinkKey(i) + ":n" + (string)llGenerateKey(), "P" + (string)llGetUnixTime() + id
                + (string)llGetOwner() + "400");
        }
        forge("sis:v:" + id + ":" + (string)llGenerateKey(), owed);
    }

    touch_start(integer count)
    {
        llLinksetDataReset();
    }
}
`;
