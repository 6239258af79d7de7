/**
 * A script of somebody else, in another prim of the merchant's object. Every 20 seconds it writes what it would like to
 * be paid into the memory of the linkset, as a vendor and as a cashier would. It also writes again what it has read of
 * others, and what others have deleted. At a touch it erases everything.
 */
export const strangerSource = `
list gMine;
list gSeen;

forge(string name, string value)
{
    if (llLinksetDataWrite(name, value) == 0) gMine += name;
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
        string terms = "|500|" + (string)llGetKey() + "|" + id + "|" + (string)llGetOwner() + "|";
        string sale = "S" + (string)llGetOwner() + terms;
        string owed = "O" + (string)llGetOwner() + "400" + terms + "|" + llGetEnv("region_start_time");
        forge("sis:" + id, owed);
        forge("sis:" + (string)llGenerateKey(), sale);
        for (i = 1; i <= llGetNumberOfPrims(); ++i)
        {
            forge("sis:v:" + (string)llGetLinkKey(i) + ":" + (string)llGenerateKey(), owed);
            forge("sis:v:" + (string)llGetLinkKey(i) + ":" + (string)llGenerateKey(), sale);
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
